public import Latchkey

/// A grant to exchange for tokens, and the request that does it.
///
/// [RFC 6749](https://www.rfc-editor.org/rfc/rfc6749), sections 4.1.3, 4.4.2 and 6; RFC 7636, section 4.5; RFC 8628,
/// section 3.4; RFC 8707, section 2.2.
public enum TokenGrant: Sendable {
    /// A code that the browser brought. Never send it twice: a replay may end the tokens already issued.
    case code(Secret, redirect: String, verifier: Secret)
    /// A refresh token. `scope` is never sent: some services narrow the grant for good.
    case refresh(Secret)
    /// A device code, and the verifier of the proof key that the device authorization request had.
    case device(Secret, verifier: Secret? = nil)
    /// The client's own authentication.
    case client(scopes: [String])

    /// The kind of grant, which decides how an answer is judged.
    public enum Kind: Hashable, Sendable {
        /// See the grant of the same name.
        case code, refresh, device, client
    }

    /// The kind of this grant.
    public var kind: Kind {
        switch self {
        case .code: .code
        case .refresh: .refresh
        case .device: .device
        case .client: .client
        }
    }

    /// Returns the request to the token endpoint.
    ///
    /// - Parameters:
    ///   - endpoint: The address of the token endpoint.
    ///   - clientID: The client's ID.
    ///   - authentication: How the client authenticates.
    ///   - resource: The resource that the token is for. Only one, because services refuse two after
    ///     spending the grant.
    ///   - extra: Parameters that are specific to the service. One whose name is in the request already is left out.
    public func request(
        to endpoint: String, clientID: String, authentication: ClientAuthentication, resource: String? = nil,
        extra: [(name: String, value: String)] = []
    ) -> TransportRequest {
        var form = FormParameters()
        switch self {
        case .code(let code, let redirect, let verifier):
            form.add(OAuthWire.grantType, OAuthWire.GrantType.authorizationCode)
            form.add(OAuthWire.code, code.revealText())
            form.add(OAuthWire.redirectURI, redirect)
            form.add(OAuthWire.codeVerifier, verifier.revealText())
        case .refresh(let token):
            form.add(OAuthWire.grantType, OAuthWire.GrantType.refreshToken)
            form.add(OAuthWire.refreshToken, token.revealText())
        case .device(let code, let verifier):
            form.add(OAuthWire.grantType, OAuthWire.GrantType.deviceCode)
            form.add(OAuthWire.deviceCode, code.revealText())
            form.add(OAuthWire.codeVerifier, ifAny: verifier?.revealText())
        case .client(let scopes):
            form.add(OAuthWire.grantType, OAuthWire.GrantType.clientCredentials)
            form.add(OAuthWire.scope, ifAny: scopes.joined(separator: " "))
        }
        form.add(OAuthWire.resource, ifAny: resource)
        form.addFurther(extra)
        return .form(form, to: endpoint, clientID: clientID, authentication: authentication)
    }
}

extension TransportRequest {
    /// Returns a form for an endpoint at which the client authenticates. It never carries cookies.
    package static func form(
        _ form: FormParameters, to endpoint: String, clientID: String, authentication: ClientAuthentication
    ) -> TransportRequest {
        var form = form
        var fields: HeaderFields = [
            "Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded",
        ]
        authentication.apply(clientID: clientID, to: &form, &fields)
        return TransportRequest("POST", endpoint, fields: fields, body: Array(FormEncoding.encode(form).utf8))
    }
}
