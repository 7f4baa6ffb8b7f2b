import Latchkey

/// What a refused refresh says about the session. A closed list: whatever is not on it ends nothing.
enum RefreshVerdict: Hashable, Sendable {
    /// The session is over for good.
    case gone
    /// Refused by the service for no reason on the list, or by somebody before it: kept, and tried again at leisure.
    case unexplained
    /// Refused before anybody looked at the token.
    case notLookedAt
    /// Trouble that passes.
    case transient

    /// The codes that end a session, believed of the service itself alone and of a refresh alone.
    static let definite: Set<SupabaseErrorCode> = [
        .refreshTokenNotFound, .refreshTokenAlreadyUsed, .sessionNotFound, .sessionExpired, .validationFailed,
        .userBanned, .invalidGrant,
    ]

    /// Codes of the OAuth shape, which may not come in another one.
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
        // A hook refused: it may think otherwise another day.
        return code == .unknown ? .unexplained : .transient
    }
}
