import Latchkey
import LatchkeyDevServer
import Proofs
import Testing

/// A process that is killed between the service's act and its own save: what the next process may do, and says.
@Suite("Killed at the dangerous instant") struct KilledRefreshTests {
    struct Case: Sendable, CustomStringConvertible {
        var description: String
        var rotation: DevServer.Rotation
        /// What becomes of the dead process's request.
        var fate: Fate
        /// What the next refresh ends with, and the words for the person.
        var status: Int32
        var words: String
        /// How many refreshes were acted on in the end.
        var acted: Int

        enum Fate { case acted, lost, late }

        static let interrupted =
            "latchkey: A refresh was interrupted, and the service did not accept it again (invalid_grant) | "
            + "The service says: “The grant is unknown, expired, used or not this client's.” | hint: Run: latchkey login"

        static let all = [
            Case(
                description: "strict service", rotation: .strict, fate: .acted, status: 3, words: interrupted, acted: 2),
            Case(
                description: "tolerant service", rotation: .graceSameSuccessor, fate: .acted, status: 0, words: "",
                acted: 2),
            Case(
                description: "request never arrived", rotation: .strict, fate: .lost, status: 0, words: "", acted: 1),
            Case(
                description: "request still on its way", rotation: .strict, fate: .late, status: 3, words: interrupted,
                acted: 2),
            Case(
                description: "request still on its way, tolerant service", rotation: .graceNewSuccessor, fate: .late,
                status: 0, words: "", acted: 2),
        ]
    }

    @Test("a login outlives a process killed during its refresh, or the next one says precisely why not", .law(6))
    func killed() async throws {
        // Each case waits for the service's time, so they do it side by side.
        let reports = try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
            for (index, row) in Case.all.enumerated() { group.addTask { (index, try await run(row)) } }
            return try await group.reduce(into: [Int: [String]]()) { $0[$1.0] = $1.1 }
        }
        for (_, lines) in reports.sorted(by: { $0.key < $1.key }) { print(lines.joined(separator: "\n")) }
    }

    private func run(_ row: Case) async throws -> [String] {
        let service = try await HeldService(row.rotation)
        defer { service.server.stop() }
        let token = try await service.signedIn.run("token").line
        let before = try service.stored()
        var lines = ["kill: case=\"\(row)\"", "kill:   record before    \(before)"]

        let killed = try await service.killed(acts: row.fate == .acted)
        let left = try service.stored()
        lines.append("kill:   killed           exit=\(killed) acted=\(service.acted)")
        lines.append("kill:   record left      \(left)")
        #expect(killed == 137)
        #expect(left.hasCredential && left.hasMark && left.login == before.login && left.ended.isEmpty)
        if row.fate == .lost { #expect(service.server.drop() == 1) }

        // Both run while the dead process's request may still arrive.
        let next = try service.signedIn.start(["refresh"])
        let good = try await service.signedIn.run("token")
        lines.append(
            "kill:   latchkey token   exit=\(good.status) acted=\(service.acted) same-token=\(good.line == token)")
        #expect(good.status == 0 && good.line == token)
        if row.fate == .late { #expect(service.acted == 0 && service.server.release() == 1) }
        let held = service.acted

        let result = try await next.wait(within: 40)
        let sent = try #require(left.markSent)
        let resent = try #require(service.refreshes.last { $0.entry.isActed }?.at)
        let after = try service.stored()
        let words = result.errors.split(separator: "\n").joined(separator: " | ")
        let heldOff = resent - sent
        lines += [
            "kill:   latchkey refresh exit=\(result.status) acted=\(service.acted) "
                + "sent-again-after=\(heldOff.components.seconds)s words=\"\(words)\"",
            "kill:   record after     \(after)",
        ]
        #expect(result.status == row.status, "\(row): \(result.errors)")
        #expect(words == row.words)
        // The service's time, since the next process sees that the sender has ended.
        #expect(
            heldOff >= .seconds(1) && heldOff < .seconds(10), "\(row): the next request left after \(heldOff)")
        #expect(held <= 1 && service.acted == row.acted)
        #expect(after.hasCredential == (row.status == 0) && !after.hasMark && after.login == before.login)
        #expect(after.ended == (row.status == 0 ? [] : ["interrupted"]))

        let later = try await service.signedIn.run("token")
        lines.append("kill:   latchkey token   exit=\(later.status) acted=\(service.acted)")
        #expect(later.status == row.status && service.acted == row.acted)
        #expect(await isAccepted(later.line, by: service.server) == (row.status == 0))
        for line in lines { #expect(!line.contains("dat_") && !line.contains("drt_")) }
        return lines
    }

    private func isAccepted(_ token: String, by server: DevServer) async -> Bool {
        await Browser().isAccepted(token, at: "\(server.issuer)/resource")
    }
}
