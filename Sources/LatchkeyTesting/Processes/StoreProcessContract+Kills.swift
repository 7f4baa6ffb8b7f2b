import Latchkey

// The thread that reads a member's reports also kills it, at a moment that the member reports. So a
// working process is hit at a critical moment more often than by chance.

extension StoreProcessContract {
    /// Starts members that write, kills them, and checks what they leave, for this many rounds.
    func killed(in folder: String, alone: Bool, rounds: Int) async throws {
        var random = SplitMix(seed: seed)
        var history = RecordHistory(alone: alone)
        let reader = try await start(.read, 1, in: folder)
        defer { reader.kill() }
        var (number, span) = (1, 1_000)
        for _ in 0..<rounds {
            var members: [MemberProcess] = []
            defer { for member in members { member.kill() } }
            for _ in 0..<(alone ? 1 : 3) {
                number += 1
                members.append(try await start(alone ? .come : .write, number, in: folder))
            }
            for member in members { try await strike(member, within: span, &random) }
            for member in members {
                let reports = try await inTime(Self.nextClause) { try await member.ended() }
                try await complain(of: reports, Self.nextClause)
                try await expectWork(reports)
                span = max(100, Self.spans(reports) ?? span)
                try await named { try history.hear(reports) }
            }
            try await modes(of: folder)
            let found = try await look(in: folder)
            try await named { try history.look(found) }
        }
        try await complain(of: reader.reports, Self.nextClause)
    }

    /// Kills the member while it writes or after it has written, once it has shown that it can work.
    private func strike(_ member: MemberProcess, within span: Int, _ random: inout SplitMix) async throws {
        let count = 3 + random.below(6)
        try await inTime(Self.nextClause) { try await member.waitForReports(count) }
        let isAfter = random.happens(300)
        member.kill(at: isAfter ? .written : .writing(random.below(span + span / 4)))
        // A member that never wins writes nothing.
        try await Task.sleep(for: .milliseconds(2 + random.below(30)))
        if random.happens(100) { member.kill() }
    }

    /// Returns what is there for the next process.
    private func look(in folder: String) async throws -> (writing: Writing, version: String)? {
        let found: StoredRecord?
        do {
            found = try await open(folder).read(StoreMember.record)
        } catch let error as AuthError where error.code == .store(.damaged) {
            return try await clauses.step(of: Self.wholeClause) { throw error }
        } catch {
            return try await clauses.step(of: Self.nextClause) { throw error }
        }
        guard let found else { return nil }
        guard let value = WrittenValue(found.bytes) else {
            return try await clauses.step(of: Self.wholeClause) {
                throw Broken("\(found.bytes.count) bytes are mixed up")
            }
        }
        return (value.writing, MemberReport.text(found.version))
    }

    private func expectWork(_ reports: [MemberReport]) async throws {
        try await clauses.step(of: Self.nextClause) {
            guard case .ready? = reports.first, reports.count > 2 else { throw Broken("a process came to nothing") }
        }
    }

    private func named(_ body: () throws -> Void) async throws {
        do { try body() } catch RecordHistory.Fault.lost(let words) {
            try await clauses.step(of: Self.lossClause) { throw Broken(words) }
        } catch RecordHistory.Fault.version(let words) {
            try await clauses.step(of: Self.versionClause) { throw Broken(words) }
        }
    }

    /// How long most writes took, in microseconds.
    private static func spans(_ reports: [MemberReport]) -> Int? {
        let spans = reports.compactMap { report -> Int? in
            if case .done(_, _, let microseconds) = report { microseconds } else { nil }
        }.sorted()
        return spans.isEmpty ? nil : spans[spans.count * 3 / 4]
    }
}
