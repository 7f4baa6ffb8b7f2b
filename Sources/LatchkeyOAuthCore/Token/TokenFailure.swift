public import Latchkey
public import LatchkeyJSON

/// Why a token endpoint gave no tokens. Carries registered codes only, never foreign text.
@nonexhaustive
public enum TokenFailure: Hashable, Sendable {
    /// The service said that the code, device code or refresh token is over.
    case definiteRefusal(code: String)
    /// Refused with an empty or foreign body, or with a code that is not registered.
    case unexplainedRefusal
    /// The client itself was refused. Says nothing about the grant.
    case clientRefused(code: String?)
    /// Something else about the request was refused. Says nothing about the grant.
    case requestRefused(OAuthErrorCode)
    /// Too many requests.
    case rateLimited(retryAfter: Duration?)
    /// A fault on the way or at the service. Says nothing about the grant, nor whether it is spent.
    case transient(status: Int, retryAfter: Duration?)
    /// A success that cannot be read.
    case malformed(JSONError)
}

extension TokenFailure {
    /// The failure as an error that ends a sign-in, or a refresh without ending the session.
    public func authError(for kind: TokenGrant.Kind) -> AuthError {
        switch self {
        case .definiteRefusal(let code):
            AuthError(.refused(.expired), "The service refused the \(kind.noun) with `\(code)`.")
        case .unexplainedRefusal:
            AuthError(.refused(.other), "The service refused the \(kind.noun) without a reason that is registered.")
        case .clientRefused(let code):
            AuthError(
                .configuration(.clientRefused),
                "The service does not accept this client\(code.map { " (`\($0)`)" } ?? "").")
        case .requestRefused(let code):
            AuthError(code.authCode, "The service answered `\(code.rawValue)` to the token request.")
        case .rateLimited(let retryAfter):
            AuthError(.rateLimited, "The token endpoint wants fewer requests.", retryAfter: retryAfter)
        case .transient(let status, let retryAfter):
            AuthError(.serviceTrouble, "The token endpoint answered HTTP \(status).", retryAfter: retryAfter)
        case .malformed(let error):
            error.authError(in: "token answer")
        }
    }
}

extension TokenGrant.Kind {
    fileprivate var noun: String {
        switch self {
        case .code: "authorization code"
        case .refresh: "refresh token"
        case .device: "device code"
        case .client: "client's own grant"
        }
    }
}

extension JSONError {
    /// A document that is not JSON is trouble on the way; one that lacks a member breaks the protocol.
    package func authError(in document: String) -> AuthError {
        switch code {
        case .missing: AuthError(.untrusted(.malformed), "The \(document) has no `\(path.dropFirst(2))`.")
        case .wrongType:
            AuthError(.untrusted(.malformed), "`\(path.dropFirst(2))` of the \(document) has the wrong form.")
        default: AuthError(.serviceTrouble, "The \(document) is not the JSON that was expected.")
        }
    }
}
