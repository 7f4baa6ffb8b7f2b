/// A terminal that a person sits at.
package protocol TerminalDevice: Sendable {
    /// Columns and rows; zeros when it does not say.
    ///
    /// - Throws: ``TerminalFailure``.
    func size() throws -> (columns: Int, rows: Int)

    /// Writes text, which must be clean already.
    ///
    /// - Throws: ``TerminalFailure``, or `CancellationError`.
    func write(_ text: String) async throws

    /// Writes `prompt` and reads one line. Blocks no thread of the pool.
    ///
    /// - Parameter hidden: Nothing of what is typed shows.
    /// - Throws: ``TerminalFailure``, or `CancellationError`; in any case the terminal is as it was before.
    func readLine(_ prompt: String, hidden: Bool) async throws -> TerminalLine
}

/// What a person typed.
package enum TerminalLine: Sendable {
    /// A line without its end.
    case line([UInt8])
    /// More than 64 KiB.
    case tooLong
    /// Ctrl-D on an empty line, or the terminal is gone.
    case end
    /// Ctrl-C.
    case interrupted
}

/// Why a terminal cannot be used.
package enum TerminalFailure: Error {
    /// There is none.
    case none
    /// Too many questions at once.
    case busy
}
