import Latchkey
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What one process does to the store until it is killed or has counted.
struct StoreMember: Sendable {
    /// The task of a member.
    enum Role: String {
        /// Writes one record of each kind. Its files are open to everybody unless the store restricts them.
        case modes
        /// Replaces the record over and over.
        case write
        /// Replaces the record over and over, and sometimes deletes it.
        case come
        /// Reads the record over and over.
        case read
        /// Counts for a while.
        case count
        /// Takes the lock and keeps it.
        case hold
    }

    static let record = StoreKey(.credential, "processes")
    static let counter = StoreKey(.settings, "processes")
    /// The environment variable that tells a member what to do: `ROLE NUMBER SEED DIRECTORY`.
    static let variable = "LATCHKEY_STORE_MEMBER"
    static let countingTime = Duration.milliseconds(300)
    static let fewestCounts = 10

    let store: any SessionStore
    let number: Int
    /// Opened when the contract wants the counting or the holding to continue.
    let go: Latch
    private var random: SplitMix

    init(_ store: any SessionStore, number: Int, seed: UInt64, go: Latch) {
        (self.store, self.number, self.go) = (store, number, go)
        random = SplitMix(seed: seed)
    }

    /// Does the work of that role.
    func act(as role: Role) async throws {
        var member = self
        Self.say(.ready)
        switch role {
        case .modes:
            try await writeEverywhere()
            Self.say(.counted(1))
        case .write: for count in 1... { try await member.replace(count, deleting: false) }
        case .come: for count in 1... { try await member.replace(count, deleting: true) }
        case .read: while true { _ = try await current() }
        case .count:
            try await go.wait()
            Self.say(.counted(try await count()))
        case .hold:
            guard let store = store as? any CrossProcessStore else { return }
            let hold = try await store.lock(Self.record, deadline: .seconds(10))
            Self.say(.holds)
            try await go.wait()
            await hold.release()
        }
    }

    private func writeEverywhere() async throws {
        for kind in StoreKey.Kind.allCases {
            let key = StoreKey(kind, "modes")
            let version = try await store.replace(key, at: nil, with: [1])
            try await store.replace(key, at: version, with: [2])
        }
        guard let store = store as? any CrossProcessStore else { return }
        await (try store.lock(StoreKey(.credential, "modes"), deadline: .seconds(10))).release()
    }

    /// Returns what is there: its version, and who wrote it.
    private func current() async throws -> (version: RecordVersion, writing: Writing)? {
        let found: StoredRecord?
        do { found = try await store.read(Self.record) } catch let error as AuthError
            where error.code == .store(.damaged)
        {
            Self.say(.half)
            return nil
        }
        guard let found else { return nil }
        guard let value = WrittenValue(found.bytes) else {
            Self.say(.half)
            return nil
        }
        return (found.version, value.writing)
    }

    private mutating func replace(_ count: Int, deleting: Bool) async throws {
        let found = try await current()
        let writing = Writing(member: number, count: count)
        let deletes = deleting && found != nil && random.happens(250)
        let size = random.happens(200) ? 0 : random.below(WrittenValue.largest)
        let bytes = deletes ? nil : WrittenValue(writing, over: found?.writing, size: size).bytes()
        Self.say(deletes ? .deletes(writing) : .begins(writing, over: found?.writing))
        let begun = SystemClock().now()
        do {
            let version = try await store.replace(Self.record, at: found?.version, with: bytes)
            let took = Int((SystemClock().now().nanoseconds - begun.nanoseconds) / 1_000)
            Self.say(.done(writing, version: version.map(MemberReport.text), microseconds: took))
        } catch is StoreConflict {
            Self.say(.refused(writing))
        }
    }

    private func count() async throws -> Int {
        let clock = SystemClock()
        let end = clock.now() + Self.countingTime
        var done = 0
        while done < Self.fewestCounts || clock.now() < end {
            try await StoreCounting.increment(Self.counter, in: store)
            done += 1
        }
        return done
    }
}

extension StoreMember {
    /// Sends a report to the contract, immediately and in one piece. If nobody reads it any longer,
    /// the process ends.
    static func say(_ report: MemberReport) {
        let bytes = Array((report.line + "\n").utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { _exit(1) }
            sent += count
        }
    }

    /// Returns a latch that opens when the contract says so. The process ends together with the contract's.
    static func listen() -> Latch {
        let go = Latch()
        let listens = DetachedThread.start {
            var byte: UInt8 = 0
            while read(STDIN_FILENO, &byte, 1) == 1 { go.open() }
            _exit(1)
        }
        if !listens { _exit(1) }
        return go
    }
}
