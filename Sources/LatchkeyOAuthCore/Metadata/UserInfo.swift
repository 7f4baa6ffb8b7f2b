public import Latchkey
public import LatchkeyJSON

/// Claims about the person ([OpenID Connect Core, section
/// 5.3](https://openid.net/specs/openid-connect-core-1_0.html#UserInfo)).
public struct UserInfo: Sendable {
    /// The id of the person whom the claims describe.
    public var subject: String
    /// All claims. They are personal data.
    public var claims: JSON

    /// Returns the request.
    public static func request(_ token: AccessToken, at endpoint: String) -> TransportRequest {
        TransportRequest(
            "GET", endpoint,
            fields: ["Accept": "application/json", "Authorization": "\(token.scheme) \(token.value.revealText())"])
    }

    /// Reads the answer.
    ///
    /// - Parameter subject: The person whom the ID token names; the claims must describe the same
    ///   one (section 5.3.2).
    /// - Throws: `untrusted(.subject)` for another person, `untrusted(.malformed)` without `sub`,
    ///   `configuration(.unsupported)` for signed claims, `refused(.other)` for 401 and 403,
    ///   `serviceTrouble` otherwise.
    public static func judge(_ response: TransportResponse, subject: String?) throws(AuthError) -> UserInfo {
        switch response.status {
        case 200: break
        case 401, 403:
            throw AuthError(.refused(.other), "The userinfo endpoint refused the access token.")
        default:
            throw AuthError(.serviceTrouble, "The userinfo endpoint answered HTTP \(response.status).")
        }
        if response.fields["Content-Type"]?.utf8.prefix(64).map({ (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 })
            .starts(with: "application/jwt".utf8) == true
        {
            throw AuthError(.configuration(.unsupported), "The userinfo endpoint answered with signed claims.")
        }
        let found: UserInfo
        do throws(JSONError) {
            found = try UserInfo(response.body)
        } catch {
            throw error.authError(in: "userinfo answer")
        }
        guard subject.map(found.subject.hasSameBytes) ?? true else {
            throw AuthError(.untrusted(.subject), "The userinfo answer speaks of another person than the ID token.")
        }
        return found
    }

    private init(_ body: [UInt8]) throws(JSONError) {
        claims = try JSON.parse(body)
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
