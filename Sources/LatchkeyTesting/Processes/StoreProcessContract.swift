public import Latchkey

/// The contract of every ``/Latchkey/CrossProcessStore`` on a disk, in addition to
/// ``StoreContract`` and ``CrossProcessStoreContract``. It uses real processes, and kills them.
///
/// | Clause | Checked by |
/// | --- | --- |
/// | a new process can use the store | one that writes each kind of record |
/// | every file and folder is its owner's alone | the modes, with an umask of 0; also after kills |
/// | what was acknowledged outlasts a kill | one member, and three at once, killed while they write and once they have |
/// | a record is whole, whoever is killed | the same; a fourth that reads meanwhile; up to 400 kB |
/// | no version comes again | the same, with deletions |
/// | a killed process holds nobody up | the next process, and those that live |
/// | no increment of several processes is lost | four, for 300 ms, ten times each at least |
/// | a lock that another process holds is busy | for ``/Latchkey/CrossProcessStore`` |
/// | a lock is free once its holder is killed | for ``/Latchkey/CrossProcessStore`` |
///
/// After a kill, the record must be one that was acknowledged or under way. A kill is not a power
/// failure: whether the disk was asked to flush does not show here. A store over
/// ``/Latchkey/FileAccess`` shows that on a ``SimulatedDisk``.
///
/// It takes some seconds. You can also check the processes of a store that is not a
/// ``/Latchkey/CrossProcessStore``, such as one that a person's keyring guards; the clauses about
/// locks are then skipped.
public struct StoreProcessContract: Sendable {
    let open: @Sendable (_ folder: String) async throws -> any SessionStore
    let program: Program
    let kills: Int
    let seed: UInt64
    let clauses: Clauses

    /// Creates a contract over stores in folders.
    ///
    /// - Parameters:
    ///   - program: Starts a process that calls ``runMember(_:)`` with the same `open`.
    ///   - kills: How many processes are killed while they write, 8 or more. Each takes a few
    ///     hundredths of a second.
    ///   - seed: Determines when they are killed.
    ///   - timeLimit: How long a clause may take, in real time.
    ///   - open: Opens the store in the folder with that absolute path. The folder does not exist
    ///     yet when it is opened for the first time; the folder above it is private and empty.
    public init(
        _ program: Program, kills: Int = 60, seed: UInt64 = 1, timeLimit: Duration = .seconds(120),
        _ open: @escaping @Sendable (_ folder: String) async throws -> any SessionStore
    ) {
        self.program = program
        self.kills = max(8, kills)
        self.seed = seed
        self.open = open
        clauses = Clauses(contract: "StoreProcessContract", limit: timeLimit)
    }

    /// Checks every clause, each with a new folder.
    ///
    /// - Throws: The first ``ContractViolation``.
    public func run() async throws {
        try await clauses.clause(Self.startClause) { try await inFolder(privately) }
        try await clauses.clause(Self.lossClause) {
            try await inFolder { try await killed(in: $0, alone: true, rounds: kills / 2) }
        }
        try await clauses.clause(Self.countClause) { try await inFolder(counted) }
        try await clauses.clause(Self.lossClause) {
            try await inFolder { try await killed(in: $0, alone: false, rounds: kills / 6) }
        }
        try await clauses.clause(Self.lockClause) { try await inFolder(locks) }
    }

    static let startClause = "a new process can use the store"
    static let modesClause = "every file and folder is its owner's alone"
    static let lossClause = "what was acknowledged outlasts a kill"
    static let wholeClause = "a record is whole, whoever is killed"
    static let versionClause = "no version comes again"
    static let nextClause = "a killed process holds nobody up"
    static let countClause = "no increment of several processes is lost"
    static let busyClause = "a lock that another process holds is busy"
    static let lockClause = "a lock is free once its holder is killed"
}

extension StoreProcessContract {
    private func inFolder(_ work: (_ folder: String) async throws -> Void) async throws {
        try await TemporaryFolder.with { try await work($0["store"]) }
    }

    func start(_ role: StoreMember.Role, _ number: Int, in folder: String) async throws -> MemberProcess {
        try await clauses.given("what starts a process") {
            do { return try MemberProcess(program, role, number, seed: seed &+ UInt64(number), in: folder) } catch let
                problem as MemberProcess.NoProcess
            {
                throw AuthError(.configuration(.invalid), "\(program.path) cannot be started (\(problem.number))")
            }
        }
    }

    private func privately(_ folder: String) async throws {
        let reports = try await start(.modes, 1, in: folder).ended()
        try await complain(of: reports, Self.startClause)
        guard case .counted? = reports.last else {
            throw Broken("it ended early, or does not call runMember")
        }
        try await modes(of: folder)
    }

    /// Checks every file of the store.
    func modes(of folder: String) async throws {
        try await clauses.step(of: Self.modesClause) {
            if let fault = OwnFiles.fault(in: folder) { throw Broken(fault) }
        }
    }

    /// Returns what `body` returns, within half the time of a clause, so that work that hangs breaks `clause`.
    func inTime<Value: Sendable>(
        _ clause: String, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await clauses.step(of: clause) {
            let limit = clauses.limit / 2
            return try await LimitedWork.run(for: limit, orThrow: Broken("nothing moved within \(limit)"), body)
        }
    }

    /// Throws what went wrong in a process, as a violation of its clause.
    func complain(of reports: [MemberReport], _ clause: String) async throws {
        for report in reports {
            if case .half = report {
                try await clauses.step(of: Self.wholeClause) { throw Broken("a process read what nobody wrote") }
            }
        }
        for case .failed(let words) in reports {
            try await clauses.step(of: clause) { throw Broken("a process was told: \(words)") }
        }
    }

    private func counted(_ folder: String) async throws {
        // A record and the folder must exist beforehand: who creates them is another question.
        let store = try await open(folder)
        try await store.replace(StoreMember.counter, at: nil, with: Array("0".utf8))
        var members: [MemberProcess] = []
        for number in 1...4 { members.append(try await start(.count, number, in: folder)) }
        defer { for member in members { member.kill() } }
        for member in members { try await member.waitForReports(1) }
        for member in members { member.go() }
        var counted = 0
        for member in members {
            let reports = try await inTime(Self.countClause) { try await member.ended() }
            try await complain(of: reports, Self.countClause)
            guard case .counted(let count)? = reports.last else { throw Broken("a process ended early") }
            counted += count
        }
        let found = StoreCounting.count(try await store.read(StoreMember.counter)?.bytes ?? [])
        try expect(found == counted, "\(found) of \(counted) increments are there")
    }

    private func locks(_ folder: String) async throws {
        guard let store = try await open(folder) as? any CrossProcessStore else { return }
        for number in 1...3 {
            let member = try await start(.hold, number, in: folder)
            defer { member.kill() }
            try await member.waitForReports(2)
            try await complain(of: member.reports, Self.lockClause)
            try await clauses.step(of: Self.busyClause) {
                try await expectError("busy", where: { $0 == .busy }) {
                    await (try store.lock(StoreMember.record, deadline: .zero)).release()
                }
            }
            member.kill()
            _ = try await member.ended()
            await (try store.lock(StoreMember.record, deadline: .seconds(5))).release()
        }
    }
}
