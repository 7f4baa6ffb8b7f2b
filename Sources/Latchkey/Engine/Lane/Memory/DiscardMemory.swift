/// Access tokens that a resource refused, as far as this process was told. What waits to be stored, and what is under way,
/// may still bring one of them.
struct DiscardMemory: Sendable {
    /// More than one lane has at a time; the oldest goes first.
    private static let limit = 16
    private var tokens: [Secret] = []
    /// Whether the store has not taken the newest of them.
    var isUnstored = false

    mutating func note(_ token: Secret) {
        tokens.removeAll { $0 == token }
        tokens = tokens.suffix(Self.limit - 1) + [token]
    }

    /// The session, with each of these tokens marked as refused.
    func marked(_ session: AuthSession) -> AuthSession {
        guard session.tokens.values.contains(where: { tokens.contains($0.value) }) else { return session }
        var session = session
        for (audience, token) in session.tokens where tokens.contains(token.value) {
            session.tokens[audience]?.isRefused = true
        }
        return session
    }

    /// The record, with each of these tokens marked as refused.
    func marked(_ record: CredentialRecord) -> CredentialRecord {
        guard !tokens.isEmpty, var credential = record.credential else { return record }
        credential.sessions = credential.sessions.map(marked)
        var record = record
        record.live?.credential = credential
        return record
    }
}
