public import FoundationEssentials
public import Latchkey
import LatchkeyJSON

/// What one poll of the token endpoint said
/// ([RFC 8628, section 3.5](https://www.rfc-editor.org/rfc/rfc8628#section-3.5)).
@nonexhaustive
public enum DevicePoll: Sendable {
    /// Tokens. Polling again would end them at some services.
    case tokens(TokenResponse)
    /// Not decided yet.
    case pending
    /// Not decided yet, and every later poll shall wait 5 seconds longer.
    case slowDown
    /// The person said no.
    case denied
    /// The code is too old.
    case expired
    /// Refused for good in another way.
    case stopped(TokenFailure)
    /// A fault on the way or at the service: go on, with longer waits.
    case transient(retryAfter: Duration?)

    /// What `slow_down` adds to the interval.
    public static let slowDownStep = Duration.seconds(5)

    /// Judges an answer. Every refusal that is not named in the RFC stops the polling, also one with status 404; a
    /// 200 that is no JSON is a fault on the way.
    public static func judge(
        _ response: TransportResponse, members: [String] = TokenAnswer.errorMembers, now: Date
    ) -> DevicePoll {
        let error = TokenAnswer.errorCode(in: response.body, members).map { OAuthErrorCode(rawValue: $0) }
        if (200...499).contains(response.status), response.status != 429, let error {
            switch error {
            case .authorizationPending: return .pending
            case .slowDown: return .slowDown
            case .accessDenied: return .denied
            case .expiredToken, .invalidGrant: return .expired
            case .serverError, .temporarilyUnavailable: return .transient(retryAfter: nil)
            default: break
            }
        }
        switch TokenAnswer.judge(response, definite: [], members: members, now: now) {
        case .tokens(let tokens): return .tokens(tokens)
        case .failure(.rateLimited(let retryAfter)): return .transient(retryAfter: retryAfter)
        case .failure(.transient(let status, let retryAfter)):
            let refused = (400...499).contains(status) && error != nil
            return refused ? .stopped(.unexplainedRefusal) : .transient(retryAfter: retryAfter)
        case .failure(.malformed(let error)) where error.code != .missing && error.code != .wrongType:
            return .transient(retryAfter: nil)
        case .failure(let failure): return .stopped(failure)
        }
    }
}
