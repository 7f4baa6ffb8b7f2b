public import Latchkey
public import LatchkeyJSON

/// Why a token endpoint gave no tokens. It contains codes only, never another text of the answer.
@nonexhaustive
public enum TokenFailure: Hashable, Sendable {
    /// The code, device code or refresh token is no longer good: a person must sign in again.
    case definiteRefusal(code: String)
    /// The service refused in its own form, with a code that is not registered.
    case unexplainedRefusal(code: String)
    /// The service refused the client itself, which says nothing about the grant. Check the
    /// client's id and authentication.
    case clientRefused(code: String?)
    /// The service refused something else about the request, which says nothing about the grant.
    case requestRefused(OAuthErrorCode)
    /// There were too many requests: wait before sending another.
    case rateLimited(retryAfter: Duration?)
    /// The service failed. The grant may be good or not, and may be spent or not.
    case transient(status: Int, retryAfter: Duration?)
    /// The service reported success, but its answer cannot be read.
    case malformed(JSONError)
    /// Something else answered in place of the service, which says nothing about the grant: try again later.
    case foreign(ForeignAnswer, retryAfter: Duration?)
}

extension TokenFailure {
    /// Returns the failure as an error that ends a sign-in, or that fails a refresh without ending the session.
    public func authError(for kind: TokenGrant.Kind) -> AuthError {
        authError(of: kind == .device ? "device token poll" : "token request", at: "token endpoint", about: kind.noun)
    }

    /// Returns the failure of a request that is called `request`, at an endpoint that is called `endpoint`.
    ///
    /// - Parameter grant: What the service judged, if that is not the request itself.
    func authError(of request: String, at endpoint: String, about grant: String? = nil) -> AuthError {
        // A sign-in with another device has two requests that may fail so.
        let place = request.hasPrefix("device") ? " in the \(request)" : ""
        let poll = grant == nil ? "" : place
        switch self {
        case .definiteRefusal(let code):
            return AuthError(.refused(.expired), "The service refused the \(grant ?? request)\(poll) with `\(code)`.")
        case .unexplainedRefusal(let code):
            return AuthError(
                .refused(.other), "The service refused the \(grant ?? request)\(poll) with `\(code)`.",
                serviceCode: code)
        case .clientRefused(let code?)
        where code == OAuthErrorCode.unauthorizedClient.rawValue && grant != nil && grant != TokenGrant.Kind.client.noun:
            return AuthError(
                .configuration(.clientRefused),
                "The service does not accept this client, or not the \(grant ?? request)\(poll) (`\(code)`).")
        case .clientRefused(let code):
            return AuthError(
                .configuration(.clientRefused),
                "\(Self.refusedClient(code, grant))\(place)\(code.map { " (`\($0)`)" } ?? "").")
        case .requestRefused(let code):
            return AuthError(code.authCode, "The service answered `\(code.rawValue)` to the \(request).")
        case .rateLimited(let retryAfter):
            return AuthError(.rateLimited, "The \(endpoint) wants fewer requests.", retryAfter: retryAfter)
        case .transient(let status, let retryAfter):
            return AuthError(.serviceTrouble, "The \(endpoint) answered HTTP \(status).", retryAfter: retryAfter)
        case .malformed(let error):
            return error.authError(in: "token answer")
        case .foreign(let answer, let retryAfter): return AuthError(answer, retryAfter: retryAfter)
        }
    }

    /// Only `invalid_client` is the client's for certain: Gitea refuses a spent code with `unauthorized_client`, and
    /// better-auth a wrong verifier with 401 and `invalid_request`.
    private static func refusedClient(_ code: String?, _ grant: String?) -> String {
        guard let grant, grant != TokenGrant.Kind.client.noun, let code, code != OAuthErrorCode.invalidClient.rawValue
        else { return "The service does not accept this client" }
        return "The service refused the \(grant) or this client"
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
    /// Returns the error for a document that cannot be read. If it is not JSON, the network or the
    /// service is in trouble; if it lacks a member, it breaks the protocol.
    package func authError(in document: String) -> AuthError {
        switch code {
        case .missing: AuthError(.untrusted(.malformed), "The \(document) has no `\(path.dropFirst(2))`.")
        case .wrongType:
            AuthError(.untrusted(.malformed), "`\(path.dropFirst(2))` of the \(document) has the wrong form.")
        default: AuthError(.serviceTrouble, "The \(document) is not the JSON that was expected.")
        }
    }
}
