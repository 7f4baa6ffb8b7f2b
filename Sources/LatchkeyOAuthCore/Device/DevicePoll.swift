public import FoundationEssentials
public import Latchkey
import LatchkeyJSON

/// The result of one poll of the token endpoint
/// ([RFC 8628, section 3.5](https://www.rfc-editor.org/rfc/rfc8628#section-3.5)).
@nonexhaustive
public enum DevicePoll: Sendable {
    /// The tokens. Do not poll again: at some services that ends them.
    case tokens(TokenResponse)
    /// The person has not decided yet: poll again after the interval.
    case pending
    /// The person has not decided yet, and every later poll must wait 5 seconds longer.
    case slowDown
    /// The person declined.
    case denied
    /// The code has expired: start again.
    case expired
    /// The service refused for good for another reason: stop polling.
    case stopped(TokenFailure)
    /// A fault of the network or the service: keep polling, with longer waits.
    case transient(retryAfter: Duration?)
    /// Something else than the service answered, and sends the request on to another address (301 to 308) or has nothing
    /// there (404, 410). A network that wants a sign-in of its own may do so for a while, so keep polling with longer waits;
    /// but a service that has moved does so for good: stop once it has been the answer several times running.
    case elsewhere(ForeignAnswer, retryAfter: Duration?)

    /// The time that `slow_down` adds to the interval.
    public static let slowDownStep = Duration.seconds(5)

    /// Judges an answer. A refusal in the service's own form that the RFC does not name stops the polling, unless it is
    /// `server_error` or `temporarily_unavailable`. An answer that is not of that form, whatever its status, counts as
    /// a network fault.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - members: Where the service writes its error codes.
    ///   - endpoint: The address that was polled, for errors that name it.
    ///   - now: The service's time.
    public static func judge(
        _ response: TransportResponse, members: [String] = TokenAnswer.errorMembers, from endpoint: String? = nil,
        now: Date
    ) -> DevicePoll {
        let error = TokenAnswer.errorCode(in: response.body, members).flatMap { OAuthErrorCode(rawValue: $0) }
        if (200...299).contains(response.status) || (400...499).contains(response.status), response.status != 429 {
            switch error {
            case .authorizationPending: return .pending
            case .slowDown: return .slowDown
            case .accessDenied: return .denied
            case .expiredToken: return .expired
            // The code was used, is unknown, or is another client's; or the verifier is wrong.
            case .invalidGrant: return .stopped(.definiteRefusal(code: OAuthErrorCode.invalidGrant.rawValue))
            default: break
            }
        }
        switch TokenAnswer.judge(response, definite: [], members: members, from: endpoint, now: now) {
        case .tokens(let tokens): return .tokens(tokens)
        case .failure(.foreign(let answer, let retryAfter)) where [.redirect, .notFound].contains(answer.kind):
            return .elsewhere(answer, retryAfter: retryAfter)
        case .failure(.rateLimited(let retryAfter)), .failure(.transient(_, let retryAfter)),
            .failure(.foreign(_, let retryAfter)):
            return .transient(retryAfter: retryAfter)
        case .failure(let failure): return .stopped(failure)
        }
    }
}
