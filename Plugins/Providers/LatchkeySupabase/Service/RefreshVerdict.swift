import Latchkey

/// What a refused refresh says about the session. The list of codes is closed: a code that is not
/// on it ends nothing.
enum RefreshVerdict: Hashable, Sendable {
    /// The session is over for good.
    case gone
    /// The service refused for no reason on the list: the session is kept, and the refresh is tried
    /// again later.
    case unexplained
    /// Refused before the token was looked at.
    case notLookedAt
    /// A temporary fault, or an answer that is not the service's.
    case transient

    /// The codes that end a session. They count only from the service itself and in answer to a refresh.
    static let definite: Set<SupabaseErrorCode> = [
        .refreshTokenNotFound, .refreshTokenAlreadyUsed, .sessionNotFound, .sessionExpired, .validationFailed,
        .userBanned, .invalidGrant,
    ]

    /// Codes that count only in an answer of the OAuth shape.
    private static let ofOAuthShape: Set<SupabaseErrorCode> = [.invalidGrant]

    init(_ answer: ErrorAnswer) {
        guard [400, 401, 403].contains(answer.status) else {
            self = .transient
            return
        }
        self = answer.keyIsRefused ? .notLookedAt : answer.isOfService ? Self.ofService(answer) : .transient
    }

    private static func ofService(_ answer: ErrorAnswer) -> RefreshVerdict {
        guard let code = answer.code else { return .unexplained }
        if definite.contains(code), answer.status != 401, ofOAuthShape.contains(code) == answer.isOAuthShape {
            return .gone
        }
        if code == .invalidClient { return .notLookedAt }
        // A hook refused, which may decide otherwise another time.
        return code == .unknown ? .unexplained : .transient
    }
}
