/// One approval and everything that came from it. Revoking it revokes all its tokens.
struct TokenFamily: Sendable {
    var clientID: String
    /// The user's subject, or the client itself for client credentials.
    var subject: String
    /// The scopes of the approval. A refresh may narrow them for one access token, but never widen them.
    var scopes: [String]
    /// The time at which the person signed in, by the server's clock; `nil` if no person did.
    var authTime: Int64?
    var isAlive = true
}

/// An access token.
struct AccessRecord: Sendable {
    var family: Int
    var scopes: [String]
    var expires: Double
    var isRevoked = false
}

/// A refresh token.
struct RefreshRecord: Sendable {
    var family: Int
    var expires: Double
    /// The time of the first use.
    var spentAt: Double?
    /// The token that the first use gave.
    var successor: String?
    /// The token's place in the family, from 0.
    var generation = 0
}

/// An authorization code.
struct CodeRecord: Sendable {
    enum Stage: Sendable {
        case fresh
        /// Refused once because of a wrong proof, and invalid since then.
        case burnt
        /// Exchanged for the tokens of this family.
        case used(family: Int)
    }

    var authorization: Authorization
    var subject: String
    var authTime: Int64
    var expires: Double
    var stage = Stage.fresh
}

/// A checked authorization request.
struct Authorization: Sendable {
    var clientID: String
    var redirectURI: String
    var scopes: [String]
    var challenge: String
    var state: String?
    var nonce: String?
    var loginHint: String?
}

/// A device authorization.
struct DeviceRecord: Sendable {
    enum Stage: Sendable {
        case pending
        case approved(subject: String, authTime: Int64)
        case denied
        case redeemed(family: Int)
        case closed
    }

    var clientID: String
    var scopes: [String]
    var userCode: String
    /// When the device asked, and the name that its program gave itself.
    var began: Double
    var agent: String?
    var expires: Double
    /// The seconds between polls. Each early poll increases it.
    var interval: Int
    var lastPoll: Double?
    /// The challenge of the proof key, if the device sent one (S256 only).
    var challenge: String?
    var stage = Stage.pending
    /// The number of wrong passwords on its page.
    var failures = 0
}

/// An authorization request that waits for a person.
struct PendingPage: Sendable {
    var authorization: Authorization
    /// The cookie of the browser that was shown the page. No other browser may answer it.
    var browser: String
    var expires: Double
    var failures = 0
}
