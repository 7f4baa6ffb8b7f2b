import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Counts the signal that ends a program which writes to a pipe without a reader, in place of dying of it.
///
/// The signal is the whole program's, so one contract at a time takes its turn.
enum BrokenPipes {
    private static let isTaken = Locked(false)
    // Sendable, proof: only the handler writes it, and a number of this type is read and written in one step.
    nonisolated(unsafe) private static let count: UnsafeMutablePointer<sig_atomic_t> = {
        let count = UnsafeMutablePointer<sig_atomic_t>.allocate(capacity: 1)
        count.initialize(to: 0)
        return count
    }()
    private static let handler: @convention(c) (Int32) -> Void = { _ in BrokenPipes.count.pointee &+= 1 }

    /// Runs `body` while the signal is counted, and while no other contract does the same.
    static func counted<Value>(_ body: (_ turn: Turn) async throws -> Value) async throws -> Value {
        while !isTaken.withLock({ taken in
            defer { taken = true }
            return !taken
        }) {
            try await Task.sleep(for: .milliseconds(2))
        }
        let before = signal(SIGPIPE, handler)
        let start = count.pointee
        defer {
            _ = signal(SIGPIPE, before)
            isTaken.withLock { $0 = false }
        }
        return try await body(Turn(start: start))
    }

    /// One contract's turn.
    struct Turn: Sendable {
        fileprivate let start: sig_atomic_t

        /// How often the program would have died.
        var deaths: Int { Int(BrokenPipes.count.pointee &- start) }

        /// Returns whether someone else has changed what the signal does, and changes it back.
        func wasChanged() -> Bool {
            guard let found = signal(SIGPIPE, BrokenPipes.handler) else { return true }
            return unsafeBitCast(found, to: Int.self) != unsafeBitCast(BrokenPipes.handler, to: Int.self)
        }
    }
}
