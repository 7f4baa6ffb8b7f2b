public import FoundationEssentials
public import Latchkey
import LatchkeyJSON

/// The answer of a token endpoint ([RFC 6749, section
/// 5](https://www.rfc-editor.org/rfc/rfc6749#section-5)).
///
/// The service's own form counts first, then the code, then the status: gateways answer in its place with any status,
/// and services send errors with a 200.
public enum TokenAnswer: Sendable {
    /// The service gave tokens.
    case tokens(TokenResponse)
    /// The service gave no tokens, or something else answered.
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
    /// | 429 | `rateLimited` |
    /// | 2xx or 4xx with a code of `definite` | `definiteRefusal` |
    /// | the same with `invalid_client` or `unauthorized_client`; 401 with `invalid_request` or another code | `clientRefused` |
    /// | `server_error` or `temporarily_unavailable` beside a vendor's code that says more | `unexplainedRefusal` |
    /// | the same without one, or any code with 5xx | `transient` |
    /// | the same with another registered code | `requestRefused` |
    /// | the same with any other word as code | `unexplainedRefusal` |
    /// | a 200 with members of a token answer, but no usable token | `malformed` |
    /// | everything without a code: pages, redirects, JSON of another form, nothing | `foreign` |
    ///
    /// A code is a word. The name of a status (`forbidden`, `Not Found`) is none, unless a description is beside it.
    ///
    /// - Parameters:
    ///   - response: The answer of the token endpoint.
    ///   - definite: The codes that end the grant; no other code does.
    ///   - members: The members that may hold the error code; the first one that is a string counts. If none is there,
    ///     `error_code` beside a number in `code` does.
    ///   - endpoint: The address that was asked, for ``TokenFailure/foreign(_:retryAfter:)``.
    ///   - now: For a `Retry-After` that is a date, by the service's clock.
    public static func judge(
        _ response: TransportResponse, definite: Set<String> = definiteRefusals,
        members: [String] = errorMembers, from endpoint: String? = nil, now: Date
    ) -> TokenAnswer {
        let retryAfter = RetryAfter.read(response.fields, now: now)
        let body = try? JSON.parse(response.body)
        let code = body.flatMap { ErrorCodeWire.code(in: $0, members) }
        let isSuccess = (200...299).contains(response.status)
        if isSuccess, code == nil, let tokens = tokens(response.body, body) { return tokens }
        guard let code, isSuccess || (400...599).contains(response.status) else {
            return .failure(.foreign(ForeignAnswer(response, from: endpoint), retryAfter: retryAfter))
        }
        switch response.status {
        case 429: return .failure(.rateLimited(retryAfter: retryAfter))
        case 400... where vendorCode(code, body) != nil:
            return .failure(.unexplainedRefusal(code: vendorCode(code, body) ?? code))
        case 500...: return .failure(.transient(status: response.status, retryAfter: retryAfter))
        default: return .failure(refusal(code, definite, response.status, retryAfter))
        }
    }

    /// Returns the tokens of a successful answer, or what is wrong with them; `nil` if it is no token answer at all.
    private static func tokens(_ bytes: [UInt8], _ body: JSON?) -> TokenAnswer? {
        guard let body, OAuthWire.tokenMembers.contains(where: { body[$0] != nil }) else { return nil }
        do throws(JSONError) { return .tokens(try TokenResponse(body)) } catch { return .failure(.malformed(error)) }
    }

    /// Returns the vendor's own code, if `code` only says that something went wrong.
    private static func vendorCode(_ code: String, _ body: JSON?) -> String? {
        let passing = [OAuthErrorCode.serverError, .temporarilyUnavailable].map(\.rawValue)
        return passing.contains(code) ? body.flatMap(ErrorCodeWire.vendorCode) : nil
    }

    private static func refusal(
        _ error: String, _ definite: Set<String>, _ status: Int, _ retryAfter: Duration?
    ) -> TokenFailure {
        if definite.contains(error) { return .definiteRefusal(code: error) }
        switch OAuthErrorCode(rawValue: error) {
        case .invalidClient, .unauthorizedClient: return .clientRefused(code: error)
        // Keycloak answers so if the client's authentication fails.
        case .invalidRequest where status == 401: return .clientRefused(code: error)
        case .serverError, .temporarilyUnavailable: return .transient(status: status, retryAfter: retryAfter)
        case .some(let code): return .requestRefused(code)
        case nil where error == ErrorCodeWire.invalidCredentials: return .clientRefused(code: error)
        case nil: return status == 401 ? .clientRefused(code: error) : .unexplainedRefusal(code: error)
        }
    }

    /// Returns the error code of a body, or `nil` if it has none.
    static func errorCode(in body: [UInt8], _ members: [String] = errorMembers) -> String? {
        (try? JSON.parse(body)).flatMap { ErrorCodeWire.code(in: $0, members) }
    }
}
