import LatchkeyJSON

/// What a session of this provider keeps.
struct SessionState: Sendable {
    /// The person as the service last described them, whole.
    var user: JSON?
    /// The tokens of the identity provider behind a social sign-in: they come once.
    var providerTokens: [String: JSON]

    private enum Member {
        static let user = "user"
        static let providerTokens = "provider_tokens"
    }

    init(_ json: JSON) {
        user = json[Member.user]
        providerTokens = json[Member.providerTokens]?.object ?? [:]
    }

    /// Written over `old`, whose other members stay.
    func json(over old: JSON? = nil) -> JSON {
        var members = old?.object ?? [:]
        members[Member.user] = user
        members[Member.providerTokens] = providerTokens.isEmpty ? nil : .object(providerTokens)
        return .object(members)
    }
}
