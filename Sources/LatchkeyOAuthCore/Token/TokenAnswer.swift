public import FoundationEssentials
public import Latchkey
import LatchkeyJSON

/// The answer of a token endpoint ([RFC 6749, section
/// 5](https://www.rfc-editor.org/rfc/rfc6749#section-5)).
///
/// It is judged by status and body together, never by the body alone: gateways send pages in place
/// of JSON, and services send errors with a 200.
public enum TokenAnswer: Sendable {
    /// The service gave tokens.
    case tokens(TokenResponse)
    /// The service gave no tokens.
    case failure(TokenFailure)

    /// The codes with which a service says for certain that a refresh token is no longer good.
    public static let definiteRefusals: Set<String> = [OAuthErrorCode.invalidGrant.rawValue]
    /// The members that may hold an answer's error code.
    public static let errorMembers = [OAuthWire.error]

    /// Judges an answer.
    ///
    /// | Answer | Verdict |
    /// | --- | --- |
    /// | 200 with `access_token` | tokens |
    /// | 200, 400 or 403 with a code of `definite` | `definiteRefusal` |
    /// | any 401; `invalid_client`, `unauthorized_client` | `clientRefused` |
    /// | 200, 400 or 403 with another registered code | `requestRefused` |
    /// | 400 or 403 with an empty, foreign or broken body; a code that is not registered | `unexplainedRefusal` |
    /// | 429 | `rateLimited` |
    /// | 200 that is no token answer | `malformed` |
    /// | 200, 400 or 403 with `server_error` or `temporarily_unavailable` | `transient` |
    /// | everything else: redirects, 404, 408, 5xx | `transient` |
    ///
    /// - Parameters:
    ///   - response: The answer of the token endpoint.
    ///   - definite: The codes that end the grant; no other code does.
    ///   - members: The members that may hold the error code; the first one that is a string counts.
    ///   - now: For a `Retry-After` that is a date, by the service's clock.
    public static func judge(
        _ response: TransportResponse, definite: Set<String> = definiteRefusals,
        members: [String] = errorMembers, now: Date
    ) -> TokenAnswer {
        let retryAfter = RetryAfter.read(response.fields, now: now)
        let code = errorCode(in: response.body, members)
        switch response.status {
        case 200...299: return judgeSuccess(response, code, definite)
        case 400, 403: return .failure(refusal(code, definite, response.status))
        case 401: return .failure(.clientRefused(code: code.flatMap { known($0, definite) }))
        case 429: return .failure(.rateLimited(retryAfter: retryAfter))
        default: return .failure(.transient(status: response.status, retryAfter: retryAfter))
        }
    }

    private static func judgeSuccess(
        _ response: TransportResponse, _ error: String?, _ definite: Set<String>
    ) -> TokenAnswer {
        if let error { return .failure(refusal(error, definite, response.status)) }
        do throws(JSONError) {
            return .tokens(try TokenResponse(JSON.parse(response.body)))
        } catch {
            return .failure(.malformed(error))
        }
    }

    private static func refusal(_ error: String?, _ definite: Set<String>, _ status: Int) -> TokenFailure {
        guard let error, let shown = known(error, definite) else { return .unexplainedRefusal }
        if definite.contains(error) { return .definiteRefusal(code: shown) }
        switch OAuthErrorCode(rawValue: error) {
        case .invalidClient, .unauthorizedClient: return .clientRefused(code: shown)
        case .serverError, .temporarilyUnavailable: return .transient(status: status, retryAfter: nil)
        case .some(let code): return .requestRefused(code)
        case nil: return .unexplainedRefusal
        }
    }

    /// Returns the code if it is registered or in the service's list, so that no foreign text is passed on.
    private static func known(_ error: String, _ definite: Set<String>) -> String? {
        definite.contains(error) || OAuthErrorCode(rawValue: error) != nil ? error : nil
    }

    /// Returns the error code of a body, or `nil` if it has none.
    static func errorCode(in body: [UInt8], _ members: [String] = errorMembers) -> String? {
        guard let document = try? JSON.parse(body) else { return nil }
        return members.lazy.compactMap { document[$0]?.string }.first { !$0.isEmpty }
    }
}
