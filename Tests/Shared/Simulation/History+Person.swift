import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting

/// What a service says about a person, kept with the session: as a provider's handle does it.
extension History {
    private enum Member {
        static let person = "person"
        static let subject = "sub"
        static let number = "number"
    }

    /// Asks who the person is, keeps the answer, and reads it again.
    func learn(_ running: Running, _ person: String) async throws {
        let (client, account) = (running.client, account(person))
        let token = try await client.accessToken(of: account)
        let bearer: HeaderFields = ["Authorization": "Bearer \(token.value.revealText())"]
        let told = try await client.perform(on: account, replay: .fixed) {
            [self] credential, context -> (CredentialChange, (AuthSession.ID, Int64)?) in
            let response = try await context.transport.send(
                TransportRequest("GET", "https://id.example.com/person", fields: bearer), deadline: context.deadline)
            guard response.status == 200, response.body.isEmpty,
                var session = credential.sessions.first(where: { $0.account == account })
            else { return (CredentialChange(), nil) }
            let number = state.withLock { state in
                state.told += 1
                return state.told
            }
            let members = (session.state.object ?? [:]).merging([Member.person: answer(person, number)]) { $1 }
            session.state = .object(members)
            let sessions = credential.sessions.map { $0.id == session.id ? session : $0 }
            return (CredentialChange(sessions: sessions), (session.id, number))
        }
        let kept = try await client.session(of: account)
        guard !running.process.isKilled else { return }
        check(kept, of: person)
        guard let told, kept.id == told.0 else { return }
        if Self.number(in: kept) ?? 0 < told.1 {
            violate(2, "process \(running.number) was told answer \(told.1) about \(person), and reads an older one")
        }
    }

    private func answer(_ person: String, _ number: Int64) -> JSON {
        [Member.subject: .string(person), Member.number: .integer(number)]
    }

    private static func number(in session: AuthSession) -> Int64? {
        session.state[Member.person]?[Member.number]?.integer
    }

    /// Whoever reads a session reads about its own person.
    private func check(_ session: AuthSession, of person: String) {
        guard let told = session.state[Member.person]?[Member.subject]?.string, told != person else { return }
        violate(5, "what the service said about \(told) is kept with a session of \(person)")
    }

    /// As long as a login lives, what is kept with it is not lost and grows no older, whatever else is stored.
    func checkKept(_ former: CredentialRecord?, then record: CredentialRecord?, of person: String) {
        func session(in record: CredentialRecord?) -> AuthSession? {
            record?.credential?.sessions.first { $0.account == account(person) }
        }
        guard let record, let now = session(in: record) else { return }
        check(now, of: person)
        guard let former, former.login(of: now.account) == record.login(of: now.account),
            let before = session(in: former).flatMap(Self.number)
        else { return }
        if Self.number(in: now) ?? 0 < before { violate(2, "what is kept about \(person) was lost by a later commit") }
    }
}
