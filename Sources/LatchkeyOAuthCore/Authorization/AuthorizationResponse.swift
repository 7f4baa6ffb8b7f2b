public import Latchkey
import LatchkeyCrypto

/// The answer that the browser brings back
/// ([RFC 6749, section 4.1.2](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2);
/// [RFC 9207](https://www.rfc-editor.org/rfc/rfc9207)).
public enum AuthorizationResponse {
    /// Checks `address` and returns the code in it.
    ///
    /// The checks run in this order, and the first failure counts, so that an injected error is
    /// never believed: (1) the address is the redirect of the transaction, (2) none of the
    /// protocol's parameters occurs twice, (3) `state`, in constant time, (4) `iss`, (5) `error`, (6) `code`.
    ///
    /// - Throws: `untrusted` with `redirect`, `state`, `issuer` or `malformed`; the code's
    ///   ``OAuthErrorCode/authCode`` for a registered error; `refused(.other)` for an error that is not registered.
    public static func check(
        _ address: Secret, against transaction: AuthorizationTransaction
    ) throws(AuthError) -> Secret {
        let parameters = try parameters(of: address.revealText(), at: transaction.redirect)
        let ours = [OAuthWire.code, OAuthWire.state, OAuthWire.iss, OAuthWire.error]
        if let twice = ours.first(where: { parameters.count(of: $0) > 1 }) {
            throw AuthError(.untrusted(.redirect), "The redirect carries `\(twice)` more than once.")
        }
        try checkState(parameters, transaction)
        try checkIssuer(parameters, transaction)
        if let error = parameters[OAuthWire.error] { throw refusal(error, parameters, transaction) }
        guard let code = parameters[OAuthWire.code], !code.isEmpty else {
            throw AuthError(.untrusted(.malformed), "The redirect carries neither `code` nor `error`.")
        }
        return Secret(code)
    }

    /// Returns the parameters of the answer, without those that the redirect itself has.
    private static func parameters(of text: String, at redirect: String) throws(AuthError) -> FormParameters {
        guard let expected = WebAddress(redirect), let came = WebAddress(text), came.isSamePlace(as: expected) else {
            throw AuthError(.untrusted(.redirect), "The redirect came to another address than the one asked for.")
        }
        guard let parameters = FormEncoding.decode(came.query ?? ""),
            let own = FormEncoding.decode(expected.query ?? "")
        else {
            throw AuthError(.untrusted(.redirect), "The query of the redirect cannot be decoded.")
        }
        guard parameters.pairs.count >= own.pairs.count,
            zip(parameters.pairs, own.pairs).allSatisfy({
                $0.name.hasSameBytes(as: $1.name) && $0.value.hasSameBytes(as: $1.value)
            })
        else {
            throw AuthError(.untrusted(.redirect), "The redirect lost the query that was part of it.")
        }
        return FormParameters(Array(parameters.pairs.dropFirst(own.pairs.count)))
    }

    private static func checkState(
        _ parameters: FormParameters, _ transaction: AuthorizationTransaction
    ) throws(AuthError) {
        guard let state = parameters[OAuthWire.state] else {
            let error = parameters[OAuthWire.error].flatMap(OAuthErrorCode.init(rawValue:))
            let detail = error.map { "; it carries the error `\($0.rawValue)`" } ?? ""
            throw AuthError(.untrusted(.state), "The redirect has no `state`\(detail).")
        }
        guard constantTimeEqual(Array(state.utf8), transaction.state.reveal()) else {
            throw AuthError(.untrusted(.state), "The `state` of the redirect belongs to another request.")
        }
    }

    private static func checkIssuer(
        _ parameters: FormParameters, _ transaction: AuthorizationTransaction
    ) throws(AuthError) {
        switch parameters[OAuthWire.iss] {
        case nil where transaction.namesIssuer:
            throw AuthError(.untrusted(.issuer), "The redirect has no `iss`, which the service promises.")
        case .some(let issuer) where transaction.issuer.isEmpty && !transaction.origins.isEmpty:
            // The service was set up without an issuer to compare with, so its own origins must do.
            guard let origin = WebAddress(issuer)?.origin, transaction.origins.contains(origin) else {
                throw AuthError(
                    .untrusted(.issuer), "The `iss` of the redirect is on another origin than the service's endpoints.")
            }
        case .some(let issuer) where !issuer.hasSameBytes(as: transaction.issuer):
            throw AuthError(.untrusted(.issuer), "The `iss` of the redirect is another issuer's.")
        default: break
        }
    }

    private static func refusal(
        _ error: String, _ parameters: FormParameters, _ transaction: AuthorizationTransaction
    ) -> AuthError {
        let sent = [transaction.verifier, transaction.nonce].compactMap { $0?.revealText() }
        let text = ServiceText(
            parameters[ErrorCodeWire.description], address: parameters[ErrorCodeWire.uri],
            hiding: [OAuthWire.code, OAuthWire.state].compactMap { parameters[$0] } + sent)
        return refusal(error).saying(text)
    }

    private static func refusal(_ error: String) -> AuthError {
        guard let code = OAuthErrorCode(rawValue: error) else {
            guard ErrorCodeWire.isWord(error) else {
                return AuthError(.refused(.other), "The service refused the sign-in.")
            }
            return AuthError(.refused(.other), "The service refused the sign-in with `\(error)`.", serviceCode: error)
        }
        if code == .accessDenied {
            return AuthError(
                .declined, "The sign-in was denied in the browser, by you or by the service (`\(code.rawValue)`).")
        }
        return AuthError(code.authCode, "The service answered `\(code.rawValue)` to the authorization request.")
    }
}

extension WebAddress {
    /// Whether scheme, host, port and path are the same. For http, an empty path is the path `/`.
    fileprivate func isSamePlace(as other: WebAddress) -> Bool {
        func full(_ address: WebAddress) -> String {
            address.path.isEmpty && address.scheme.hasPrefix("http") ? "/" : address.path
        }
        return scheme == other.scheme && host == other.host && port == other.port
            && full(self).hasSameBytes(as: full(other))
    }
}
