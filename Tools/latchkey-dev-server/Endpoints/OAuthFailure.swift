import LatchkeyHTTPServer
import LatchkeyJSON

/// An OAuth error.
struct OAuthFailure: Error {
    var code: ErrorCode
    var reason: String
    var status: Int

    init(_ code: ErrorCode, _ reason: String, status: Int = 400) {
        self.code = code
        self.reason = reason
        self.status = status
    }

    /// The error for a client that failed to authenticate (RFC 6749 section 5.2).
    static func client(_ reason: String) -> OAuthFailure { OAuthFailure(.invalidClient, reason, status: 401) }

    /// The error for an invalid code or refresh token. Only the log has the reason, as with strict services.
    static let grant = OAuthFailure(.invalidGrant, "The grant is unknown, expired, used or not this client's.")

    /// The JSON answer of RFC 6749 section 5.2.
    var response: ServerResponse {
        let body = JSON.object([
            DevServerWire.error: .string(code.rawValue), DevServerWire.errorDescription: .string(reason),
        ])
        var response = ServerResponse.json(body.serialized(), status: status)
        if status == 401 { response.set("WWW-Authenticate", "Basic realm=\"latchkey-dev\"") }
        return response
    }

    /// The answer of a protected resource, RFC 6750 section 3. The error is only in the header field.
    var challenge: ServerResponse {
        var parts = ["realm=\"latchkey-dev\"", "error=\"\(code.rawValue)\"", "error_description=\"\(reason)\""]
        if code == .insufficientScope { parts.append("scope=\"\(DevServerWire.openid)\"") }
        return Self.challenge("Bearer " + parts.joined(separator: ", "), status: status)
    }

    /// The answer to a request without a token, which has no error code (RFC 6750 section 3.1).
    static let missingToken = challenge("Bearer realm=\"latchkey-dev\"", status: 401)

    private static func challenge(_ value: String, status: Int) -> ServerResponse {
        ServerResponse(status: status, fields: [("WWW-Authenticate", value), ("Cache-Control", "no-store")])
    }
}
