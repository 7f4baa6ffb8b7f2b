package import Latchkey
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Writes what the person is told to the terminal, or to standard error if there is no terminal, or the process is in the
/// background.
enum Announcement {
    /// Returns when the text is written, so that what comes next stands after it. If the task is cancelled, returns
    /// at once: a terminal that the person has stopped takes its time.
    @Sendable static func print(_ visit: BrowserVisit) async { await print(visit.text()) }

    /// The same, of a browser that came back with something else.
    @Sendable static func print(_ stray: StrayRedirect) async { await print("\(stray.text())\n") }

    fileprivate static func print(_ text: String) async {
        let bytes = Array(text.utf8)
        let written = Locked<CheckedContinuation<Void, Never>?>(nil)
        let go: @Sendable () -> Void = {
            written.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }?.resume()
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                written.withLock { $0 = continuation }
                let isWriting = DetachedThread.start {
                    write(bytes)
                    go()
                }
                if !isWriting || Task.isCancelled { go() }
            }
        } onCancel: {
            go()
        }
    }

    private static func write(_ bytes: [UInt8]) {
        let opened = open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC)
        defer { if opened >= 0 { close(opened) } }
        let terminal = opened >= 0 && tcgetpgrp(opened) == getpgrp() ? opened : -1
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(terminal >= 0 ? terminal : 2, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

extension BrowserVisit {
    /// Writes ``text(in:)`` to the terminal, or to standard error if there is no terminal, and a line below it.
    package func announce(in language: TextLanguage, with line: String) async {
        await Announcement.print(text(in: language) + "\(line)\n")
    }
}

extension StrayRedirect {
    /// Writes ``text(in:)`` to the terminal, or to standard error if there is no terminal, and a line below it.
    package func announce(in language: TextLanguage, with advice: String?) async {
        await Announcement.print(([text(in: language)] + [advice].compactMap(\.self)).map { "\($0)\n" }.joined())
    }
}

private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }
