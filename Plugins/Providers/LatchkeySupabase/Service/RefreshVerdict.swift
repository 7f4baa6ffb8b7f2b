import Latchkey

/// What a refused refresh says about the session. The list of codes is closed: a code that is not
/// on it ends nothing.
enum RefreshVerdict: Hashable, Sendable {
    /// The session is over for good.
    case gone
    /// The service refused for no reason on the list, or a gateway refused: the session is kept,
    /// and the refresh is tried again later.
    case unexplained
    /// Refused before the token was looked at.
    case notLookedAt
    /// A temporary fault.
    case transient

    /// The codes that end a session. They count only from the service itself and in answer to a refresh.
    static let definite: Set<SupabaseErrorCode> = [
        .refreshTokenNotFound, .refreshTokenAlreadyUsed, .sessionNotFound, .sessionExpired, .validationFailed,
        .userBanned, .invalidGrant,
    ]

    /// Codes that count only in an answer of the OAuth shape.
    private static let ofOAuthShape: Set<SupabaseErrorCode> = [.invalidGrant]

    init(_ answer: ErrorAnswer) {
        switch answer.status {
        case 400, 401, 403:
            if answer.keyIsRefused {
                self = .notLookedAt
            } else if !answer.isOfService {
                self = .unexplained
            } else {
                self = Self.ofService(answer)
            }
        case 404, 405, 410, 413..<425, 426, 428, 431, 451:
            self = answer.isOfService ? .transient : .unexplained
        default: self = .transient
        }
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
