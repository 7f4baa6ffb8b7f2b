public import FoundationEssentials
public import Latchkey
public import LatchkeyJSON

/// Claims about the person ([OpenID Connect Core, section
/// 5.3](https://openid.net/specs/openid-connect-core-1_0.html#UserInfo)).
public struct UserInfo: Sendable {
    /// The most bytes that an answer may have.
    public static let sizeLimit = 32 << 10
    /// The most levels of arrays and objects in it.
    static let depthLimit = 16

    /// The id of the person whom the claims describe.
    public var subject: String
    /// All claims. They are personal data.
    public var claims: JSON

    /// Returns the request.
    public static func request(_ token: AccessToken, at endpoint: String) -> TransportRequest {
        TransportRequest(
            "GET", endpoint,
            fields: [
                "Accept": "application/json, application/jwt;q=0.5",
                "Authorization": "\(token.scheme) \(token.value.revealText())",
            ])
    }

    /// Reads an answer that is not signed.
    ///
    /// - Parameters:
    ///   - response: The answer of the userinfo endpoint.
    ///   - subject: The person whom the ID token names; the claims must describe the same one (section 5.3.2).
    ///   - endpoint: The address that was asked, for the error.
    ///   - now: The time by the service's clock, for ``/Latchkey/AuthError/retryAfter``.
    /// - Throws: `untrusted(.subject)` for another person; `untrusted(.malformed)` without `sub`, or for more than
    ///   ``sizeLimit`` bytes; `configuration(.unsupported)` for signed claims, which ``verify(_:keys:rules:subject:)``
    ///   checks; `signInRequired(.notAccepted)` for 401; `refused(.scope)` for 403 with `insufficient_scope`, and
    ///   `refused(.denied)` for any other 403; the error of a ``/Latchkey/ForeignAnswer`` for every other answer, and
    ///   for those that a gateway gave.
    public static func judge(
        _ response: TransportResponse, subject: String?, from endpoint: String? = nil, now: Date? = nil
    ) throws(AuthError) -> UserInfo {
        guard try signed(in: response, from: endpoint, now: now) == nil else {
            throw AuthError(.configuration(.unsupported), "The userinfo endpoint answered with signed claims.")
        }
        let limits = JSONLimits(bytes: sizeLimit, depth: depthLimit)
        let claims = try? JSON.parse(response.body, limits: limits)
        guard claimNames.contains(where: { claims?[$0] != nil }) else { throw foreign(response, endpoint, now) }
        let found: UserInfo
        do throws(JSONError) {
            found = try UserInfo(JSON.parse(response.body, limits: limits))
        } catch {
            throw error.authError(in: "userinfo answer")
        }
        guard subject.map(found.subject.hasSameBytes) ?? true else {
            throw AuthError(.untrusted(.subject), "The userinfo answer speaks of another person than the ID token.")
        }
        return found
    }

    /// The claims by which an answer is known as one.
    private static let claimNames = [
        OAuthWire.sub, OAuthWire.iss, "name", "email", "preferred_username", "given_name", "nickname", "picture",
    ]

    /// Reads claims from outside that have not been compared with anything.
    init(_ claims: JSON) throws(JSONError) {
        self.claims = claims
        let field = JSONField(claims)[OAuthWire.sub]
        subject = try field.string()
        guard !subject.isEmpty else { throw JSONError(.missing, at: field.path) }
    }
}

extension UserInfo: CustomStringConvertible, CustomReflectable {
    /// A fixed text without content.
    public var description: String { "userinfo answer" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
