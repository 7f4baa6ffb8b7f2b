import Latchkey
import LatchkeyAuditLog
import LatchkeyFileStore
import LatchkeySystem
import LatchkeyTesting
import TaskSettling
import Testing

@testable import LatchkeyEncryptedStore

/// A disk that is full from some operation on, or at one alone, while a program signs in or refreshes.
@Suite("A disk that fills at any operation") struct FullDiskTableTests {
    enum Action: CaseIterable, Sendable { case signIn, refresh }
    enum Life: CaseIterable, Sendable { case oneShot, longLived }

    private struct Row: CustomStringConvertible {
        var kind: ReservationTests.Kind
        var action: Action
        var life: Life
        /// Whether it stays full, or only one operation fails.
        var lasts: Bool
        /// Whether the security log is on the same disk.
        var isLogged: Bool
        var step = 1

        var description: String {
            "\(kind), \(action), \(life), lasts: \(lasts), logged: \(isLogged), step \(step)"
        }
    }

    private struct Outcome {
        /// Whether the program was told that something is not stored.
        var isTold: Bool
        /// Whether the newest refresh token that the service has given is in the store.
        var isStored: Bool
    }

    @Test("no session is lost in silence, and none by a refresh")
    func everyOperation() async throws {
        var (stops, silent, lost) = (0, 0, 0)
        for kind in ReservationTests.Kind.allCases {
            for action in Action.allCases {
                for life in Life.allCases {
                    for (lasts, isLogged) in [(false, false), (true, false), (false, true), (true, true)] {
                        var row = Row(kind: kind, action: action, life: life, lasts: lasts, isLogged: isLogged)
                        while let outcome = try await play(row) {
                            stops += 1
                            if !outcome.isStored { if outcome.isTold { lost += 1 } else { silent += 1 } }
                            #expect(outcome.isStored || outcome.isTold, "\(row)")
                            // A sign-in has nothing to set room aside for before it is granted.
                            #expect(outcome.isStored || (action == .signIn && life == .oneShot), "\(row)")
                            row.step += 1
                        }
                        #expect(row.step > 3, "\(row)")
                    }
                }
            }
        }
        print("full disks: stops=\(stops) silent=\(silent) lost=\(lost) (sign-ins without space, each told)")
    }

    /// `nil` once there is no such operation.
    private func play(_ row: Row) async throws -> Outcome? {
        let (disk, clock, service) = (SimulatedDisk(), ManualClock(), ScriptedProvider())
        let log = row.isLogged ? Self.log(on: disk, clock, seed: 5) : nil
        let auth = try await client(row.kind, disk, clock, service, seed: 7, log)
        if row.action == .refresh {
            _ = try await auth.signIn(with: "scripted", .anonymous)
            clock.advance(by: .seconds(3_600))
        }
        let count = Locked(0)
        disk.inject { operation, _ in
            guard [.create, .write, .makeDirectory].contains(operation) else { return nil }
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == row.step || (row.lasts && number > row.step) ? .full : nil
        }
        @Sendable func act() async throws {
            if row.action == .signIn {
                _ = try await auth.signIn(with: "scripted", .anonymous)
            } else {
                _ = try await auth.accessToken()
            }
        }
        var isTold = false
        do {
            try await moving(clock) {
                if row.life == .oneShot { try await auth.run { _ in try await act() } } else { try await act() }
            }
        } catch { isTold = true }
        let isReached = count.withLock { $0 } >= row.step
        // The program is gone, and does nothing once there is space again.
        if row.life == .oneShot { disk.crash(losing: .nothing) }
        disk.inject(nil)
        if row.life == .longLived {
            isTold = isTold || auth.currentToken()?.isDurable == false
            // Its alarm stores what the disk did not take.
            try await moving(clock) {
                for _ in 0..<1_000_000 {
                    guard try await auth.accounts().first?.isDurable == false else { return }
                    await Task.yield()
                }
            }
        }
        guard isReached else { return nil }
        if row.isLogged {
            // What the log could not take is missing at its end at most: nothing that is there is broken.
            try await moving(clock) {
                let report = try await Self.log(on: disk, clock, seed: 6).verify()
                #expect(report.isWhole && report.tornBytes == 0, "\(row)")
            }
        }
        let granted = service.beginCount + service.refreshCount
        let next = try await client(row.kind, disk, clock, service, seed: 9)
        clock.advance(by: .seconds(7_200))
        _ = try? await moving(clock) { try await next.refresh() }
        let newest = granted == 0 ? nil : "refresh-\(granted)"
        return Outcome(isTold: isTold, isStored: granted == 0 || service.sentSecrets.last == newest)
    }

    private func client(
        _ kind: ReservationTests.Kind, _ disk: SimulatedDisk, _ clock: ManualClock, _ service: ScriptedProvider,
        seed: UInt64, _ log: AuditLog? = nil
    ) async throws -> AuthClient {
        var settings = EngineSettings()
        settings.refresh = .onDemand
        settings.familyDeadline = settings.requestDeadline
        let world = PluginContext.testing(clock: clock, seed: seed, files: SimulatedFiles(on: disk))
        let store = try await ReservationTests.store(kind, on: disk, in: world)
        let builder = AuthClient.Builder().provider(service).transport(ScriptedTransport()).store(AnyOpenStore(store))
            .context(world).settings(settings)
        return try (log.map { builder.auditLog($0) } ?? builder).build()
    }

    private static func log(on disk: SimulatedDisk, _ clock: ManualClock, seed: UInt64) -> AuditLog {
        AuditLog(
            at: "/home/alice/data/audit",
            context: .testing(clock: clock, seed: seed, files: SimulatedFiles(on: disk)))
    }

    /// Moves the clock from sleeper to sleeper until `work` is done.
    private func moving(_ clock: ManualClock, _ work: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await work()
                return true
            }
            group.addTask {
                while !Task.isCancelled {
                    clock.advanceToNextSleeper()
                    await settleTasks()
                }
                return false
            }
            defer { group.cancelAll() }
            _ = try await group.next()
        }
    }
}

/// A store that is open already, so that the client has no lock.
private struct AnyOpenStore: CrossProcessStore, ReservingStore {
    let inner: any ReservingStore & CrossProcessStore

    init(_ inner: any ReservingStore & CrossProcessStore) { self.inner = inner }

    func read(_ key: StoreKey) async throws -> StoredRecord? { try await inner.read(key) }

    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws -> RecordVersion? {
        try await inner.replace(key, at: version, with: bytes)
    }

    func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] { try await inner.keys(kind) }

    func reserve(_ key: StoreKey, bytes: Int) async throws -> (any StoreReservation)? {
        try await inner.reserve(key, bytes: bytes)
    }

    func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        try await inner.lock(key, deadline: deadline)
    }
}
