public import FoundationEssentials
public import Latchkey
import LatchkeyJSON

/// Revokes tokens ([RFC 7009](https://www.rfc-editor.org/rfc/rfc7009)).
public enum TokenRevocation {
    /// The kind of token to revoke.
    public enum Hint: String, Hashable, Sendable {
        /// A refresh token. Revoking it ends the whole grant.
        case refreshToken = "refresh_token"
        /// An access token. Revoking it may end the whole grant as well, or only this token.
        case accessToken = "access_token"
    }

    /// The outcome of a revocation.
    @nonexhaustive
    public enum Outcome: Hashable, Sendable {
        /// The token is revoked, or the service does not know it.
        case done
        /// The service refused the client itself.
        case clientRefused
        /// The service cannot revoke this kind of token.
        case unsupported
        /// The service refused the request for good, with this code: the same request will not fare better.
        case refused(code: String)
        /// The service has trouble, and the token is still valid: try again.
        case notDone(status: Int, retryAfter: Duration?)
        /// Something else answered in place of the service, so the token may still be valid: try again.
        case foreign(ForeignAnswer, retryAfter: Duration?)
    }

    /// Returns the request (section 2.1).
    public static func request(
        _ token: Secret, _ hint: Hint, to endpoint: String, clientID: String, authentication: ClientAuthentication
    ) -> TransportRequest {
        let form = FormParameters([
            (OAuthWire.token, token.revealText()), (OAuthWire.tokenTypeHint, hint.rawValue),
        ])
        return .form(form, to: endpoint, clientID: clientID, authentication: authentication)
    }

    /// Whether the service's lists leave out clients without a secret at the revocation endpoint. This is a hint: many
    /// services that list no `none` take such a client's request all the same (Keycloak, better-auth).
    public static func isUnlisted(_ authentication: ClientAuthentication, by metadata: ServerMetadata) -> Bool {
        guard authentication == .none, let methods = metadata.revocationMethods, !methods.isEmpty else { return false }
        return !methods.contains(OAuthWire.noAuthentication)
    }

    /// Judges the answer (section 2.2).
    ///
    /// A 200 with an `error` in its body means that the service does not know the token, which counts as done. So does
    /// one with another body, which a client ignores, unless it is a web page or half a document.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - members: The members that may hold the error code.
    ///   - endpoint: The address that was asked, for ``Outcome/foreign(_:retryAfter:)``.
    ///   - isUnlisted: Whether the service's lists leave this client out (``isUnlisted(_:by:)``). Then a 401 or 403 without
    ///     a body is the service's refusal (Spring Authorization Server), and not a gateway's.
    ///   - now: For a `Retry-After` that is a date, by the service's clock.
    public static func judge(
        _ response: TransportResponse, members: [String] = TokenAnswer.errorMembers, from endpoint: String? = nil,
        isUnlisted: Bool = false, now: Date
    ) -> Outcome {
        if isUnlisted, [401, 403].contains(response.status), response.body.isEmpty { return .clientRefused }
        let wait = RetryAfter.read(response.fields, now: now)
        let answer = ForeignAnswer(response, from: endpoint)
        if (200...299).contains(response.status) {
            return isTold(response, answer.kind) ? .done : .foreign(answer, retryAfter: wait)
        }
        switch TokenAnswer.judge(response, definite: [], members: members, now: now) {
        case .failure(.clientRefused): return .clientRefused
        case .failure(.requestRefused(let code)):
            switch code {
            case .invalidToken, .invalidGrant: return .done
            case .unsupportedTokenType: return .unsupported
            default: return .refused(code: code.rawValue)
            }
        case .failure(.unexplainedRefusal(let code)): return .refused(code: code)
        case .failure(.foreign): return .foreign(answer, retryAfter: wait)
        default: return .notDone(status: response.status, retryAfter: wait)
        }
    }

    /// Whether the service itself may have written this success.
    private static func isTold(_ response: TransportResponse, _ kind: ForeignAnswer.Kind) -> Bool {
        // The body says nothing (RFC 7009, section 2.2), so it may well be missing, under whatever type. A firewall's
        // check for robots has none either, and says so elsewhere.
        guard let first = response.body.first else { return [200, 204].contains(response.status) && kind != .blocked }
        guard kind == .unreadable else { return false }
        let isText = first != UInt8(ascii: "{") && response.body.count <= 64 && response.body.allSatisfy { $0 >= 0x20 }
        return isText || (try? JSON.parse(response.body)) != nil
    }
}
