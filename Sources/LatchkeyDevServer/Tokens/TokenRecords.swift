/// One approval and everything that came of it. Killing it kills all its tokens.
struct TokenFamily: Sendable {
    var clientID: String
    /// The user's subject, or the client itself for client credentials.
    var subject: String
    /// What was granted at first; a refresh may narrow one access token, never widen it.
    var scopes: [String]
    /// When the person proved who they are, by the server's clock; `nil` when nobody did.
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
    /// When it was used first.
    var spentAt: Double?
    /// What that use gave.
    var successor: String?
    /// Its place in the family, from 0.
    var generation = 0
}

/// An authorization code.
struct CodeRecord: Sendable {
    enum Stage: Sendable {
        case fresh
        /// Refused once with the wrong proof: of no use any more.
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
    var expires: Double
    /// Seconds between polls; grows with each poll that came too early.
    var interval: Int
    var lastPoll: Double?
    var stage = Stage.pending
    /// How often the password on its page was wrong.
    var failures = 0
}

/// An authorization request that waits for a person.
struct PendingPage: Sendable {
    var authorization: Authorization
    /// The cookie of the browser that was shown the page; no other may answer it.
    var browser: String
    var expires: Double
    var failures = 0
}
