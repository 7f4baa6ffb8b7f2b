import CTerminal
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The process's own terminal, independent of standard input and output.
struct SystemTerminal: TerminalDevice {
    var path = "/dev/tty"
    var look = TerminalLook.system

    func size() throws -> (columns: Int, rows: Int) {
        let terminal = try OpenTerminal(path)
        var (columns, rows): (Int32, Int32) = (0, 0)
        latchkey_terminal_size(terminal.number, &columns, &rows)
        return (Int(columns), Int(rows))
    }

    func write(_ text: String) async throws {
        try await blocking { terminal, _ in terminal.write(Array(text.utf8)) }
    }

    func readLine(_ prompt: String, hidden: Bool) async throws -> TerminalLine {
        try await blocking { terminal, wake in try Self.read(terminal, wake, prompt: prompt, hidden: hidden) }
    }

    /// Runs on a thread of its own, which is woken when the task is cancelled.
    private func blocking<Value: Sendable>(
        _ work: @escaping @Sendable (OpenTerminal, WakePipe) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let wake = try WakePipe()
        let result = await withTaskCancellationHandler {
            await DetachedThread.run { [path] in Result { try work(OpenTerminal(path), wake) } }
        } onCancel: {
            wake.signal()
        }
        guard let result else { throw TerminalFailure.busy }
        return try result.get()
    }

    private static func read(
        _ terminal: OpenTerminal, _ wake: WakePipe, prompt: String, hidden: Bool
    ) throws -> TerminalLine {
        let quiet = latchkey_terminal_begin(terminal.number)
        guard quiet >= 0 else { throw quiet == -2 ? TerminalFailure.busy : .none }
        defer {
            latchkey_terminal_end(quiet)
            terminal.write([0x0A])
        }
        terminal.write(Array(prompt.utf8))
        var editor = LineEditor()
        while true {
            let byte = try terminal.nextByte(wake)
            switch editor.take(byte) {
            case .more(let shown): if !hidden, !shown.isEmpty { terminal.write(shown) }
            case .done: return editor.isTooLong ? .tooLong : .line(editor.bytes)
            case .interrupted: return .interrupted
            case .end: return .end
            case .suspend:
                guard latchkey_terminal_suspend(quiet) != 0 else { throw TerminalFailure.none }
                terminal.write(Array(prompt.utf8) + (hidden ? [] : editor.bytes))
            }
        }
    }
}

/// An open terminal, closed with its last reference. Only one thread uses it at a time.
private final class OpenTerminal {
    let number: Int32

    init(_ path: String) throws {
        number = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard number >= 0 else { throw TerminalFailure.none }
        guard isatty(number) == 1, TerminalFront.isHeld(number) else {
            close(number)
            throw TerminalFailure.none
        }
    }

    deinit { close(number) }

    /// The next byte.
    ///
    /// - Throws: `CancellationError` when `wake` was signalled; ``TerminalFailure`` `lost` when the terminal is gone, and
    ///   `none` when the process is no longer in front of it: reading there would stop it.
    func nextByte(_ wake: WakePipe) throws -> UInt8 {
        while true {
            guard TerminalFront.isHeld(number) else { throw TerminalFailure.none }
            var watched = [
                pollfd(fd: number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake.readEnd, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&watched, 2, -1) >= 0 else {
                guard errno == EINTR else { throw TerminalFailure.lost }
                continue
            }
            if watched[1].revents != 0 { throw CancellationError() }
            guard watched[0].revents != 0, TerminalFront.isHeld(number) else { continue }
            // Read one byte at a time, so that input after the line stays for the next reader.
            var byte: UInt8 = 0
            let count = read(number, &byte, 1)
            if count == 1 { return byte }
            guard count < 0, errno == EINTR || errno == EAGAIN else { throw TerminalFailure.lost }
        }
    }

    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// A pipe whose only message is "stop".
private final class WakePipe: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32

    init() throws {
        guard let ends = PrivatePair.open() else { throw TerminalFailure.busy }
        (readEnd, writeEnd) = ends
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    func signal() {
        var byte: UInt8 = 1
        _ = systemWrite(writeEnd, &byte, 1)
    }
}

private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }
