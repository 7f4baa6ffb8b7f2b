/// A terminal in front of a person.
package protocol TerminalDevice: Sendable {
    /// What may be written.
    var look: TerminalLook { get }

    /// Returns columns and rows; zeros if the terminal does not say.
    ///
    /// - Throws: ``TerminalFailure``.
    func size() throws -> (columns: Int, rows: Int)

    /// Writes text, which must be cleaned already.
    ///
    /// - Throws: ``TerminalFailure``, or `CancellationError`.
    func write(_ text: String) async throws

    /// Writes `prompt` and reads one line. Does not block a thread of the pool.
    ///
    /// - Parameter hidden: Whether the input is hidden.
    /// - Throws: ``TerminalFailure``, or `CancellationError`. The terminal is restored in every case.
    func readLine(_ prompt: String, hidden: Bool) async throws -> TerminalLine
}

extension TerminalDevice {
    package var look: TerminalLook { .coloured }
}

/// The input of a person.
package enum TerminalLine: Sendable {
    /// A line without its end.
    case line([UInt8])
    /// A line of more than 64 KiB.
    case tooLong
    /// Ctrl-D on an empty line.
    case end
    /// Ctrl-C.
    case interrupted
}

/// Why a terminal cannot be used.
package enum TerminalFailure: Error {
    /// The process has no terminal, or is not in front of it.
    case none
    /// The terminal was closed, or cannot be read any more: there is no answer.
    case lost
    /// Too many questions are open at once.
    case busy
}
