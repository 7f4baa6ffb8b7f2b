import LatchkeyHTTPServer

extension DevState {
    /// Authorization endpoint, RFC 6749 section 4.1.1 with PKCE (RFC 7636), `iss` (RFC 9207) and OpenID Connect.
    ///
    /// If client or redirect URI are in doubt, the answer is a page; all other answers go through the redirect.
    mutating func authorize(_ request: ServerRequest, now: Double, note: inout Note) -> ServerResponse {
        note.grant = DevServer.Grant.authorizationCode.rawValue
        if let answer = mixedUp(request) {
            note.outcome = "mixed_up"
            return answer
        }
        let parameters: Parameters
        if request.method == "POST" {
            guard let form = try? Parameters(form: request) else {
                return refusePage("refused.noForm", request, note: &note)
            }
            parameters = form
        } else {
            parameters = Parameters(request.queryPairs)
        }
        guard parameters.duplicates.isDisjoint(with: [DevServerWire.clientID, DevServerWire.redirectURI]) else {
            return refusePage("refused.twice", request, note: &note)
        }
        guard let client = parameters[DevServerWire.clientID].flatMap({ clients[$0] }) else {
            return refusePage("refused.client", request, note: &note)
        }
        note.client = client.id
        guard let redirect = parameters[DevServerWire.redirectURI], client.accepts(redirect: redirect) else {
            return refusePage("refused.redirect", request, note: &note)
        }
        do throws(OAuthFailure) {
            let authorization = try check(parameters, client, redirect)
            if configuration.autoApprove { return approve(authorization, user: nil, now: now) }
            guard parameters[DevServerWire.prompt] != "none" else {
                throw OAuthFailure(.interactionRequired, "Nobody is signed in here, so a person must be asked.")
            }
            return showConsent(authorization, request, now: now, note: &note)
        } catch {
            note.outcome = error.code.rawValue
            let state = parameters.duplicates.contains(DevServerWire.state) ? nil : parameters[DevServerWire.state]
            return refuse(redirect, error, state: state)
        }
    }

    private func check(
        _ parameters: Parameters, _ client: DevServer.Client, _ redirect: String
    ) throws(OAuthFailure) -> Authorization {
        guard parameters.duplicates.isEmpty else { throw OAuthFailure(.invalidRequest, "A parameter stands twice.") }
        guard parameters[DevServerWire.request] == nil else {
            throw OAuthFailure(.requestNotSupported, "Request objects are not supported.")
        }
        guard parameters[DevServerWire.requestURI] == nil else {
            throw OAuthFailure(.requestURINotSupported, "Pushed requests are not supported.")
        }
        guard try parameters.required(DevServerWire.responseType) == "code" else {
            throw OAuthFailure(.unsupportedResponseType, "Only the response type code is supported.")
        }
        guard parameters[DevServerWire.responseMode] ?? "query" == "query" else {
            throw OAuthFailure(.invalidRequest, "Only the response mode query is supported.")
        }
        guard client.grants.contains(.authorizationCode) else {
            throw OAuthFailure(.unauthorizedClient, "The client may not use codes.")
        }
        let challenge = try parameters.required(DevServerWire.codeChallenge)
        // Without a method, plain applies (RFC 7636 section 4.3), which is refused.
        guard parameters[DevServerWire.codeChallengeMethod] == challengeMethod else {
            throw OAuthFailure(.invalidRequest, "The code_challenge_method is not \(challengeMethod).")
        }
        guard challenge.utf8.count == 43, challenge.allSatisfy(\.isBase64URL) else {
            throw OAuthFailure(.invalidRequest, "The code_challenge is not 43 characters of base64url.")
        }
        try parameters.checkResources(issuer: issuer)
        return Authorization(
            clientID: client.id, redirectURI: redirect,
            scopes: try parameters.scopes(allowed: client.scopes) ?? [DevServerWire.openid], challenge: challenge,
            state: parameters[DevServerWire.state], nonce: parameters[DevServerWire.nonce],
            loginHint: parameters[DevServerWire.loginHint])
    }

    /// Gives a code for `user`, or else for the user in `login_hint`, or else for the first one.
    mutating func approve(_ authorization: Authorization, user: DevServer.User?, now: Double) -> ServerResponse {
        let user = user ?? authorization.loginHint.flatMap { self.user(named: $0) } ?? configuration.users[0]
        let code = Self.random("dac_")
        codes[code] = CodeRecord(
            authorization: authorization, subject: user.subject, authTime: wallClock(now),
            expires: now + Double(configuration.codeLifetime))
        let members = forged(code: code)
        if attack == nil { loot.code = code }
        return redirect(forged(redirect: authorization.redirectURI), members, state: authorization.state)
    }

    /// Sends the client the reason why there is no code.
    func refuse(_ uri: String, _ failure: OAuthFailure, state: String?) -> ServerResponse {
        let members = [
            (DevServerWire.error, failure.code.rawValue), (DevServerWire.errorDescription, failure.reason),
        ]
        return redirect(uri, members, state: state)
    }

    private func redirect(_ uri: String, _ members: [(String, String)], state: String?) -> ServerResponse {
        var pairs = members.map { (name: $0.0, value: $0.1) }
        if let state { pairs.append((DevServerWire.state, state)) }
        if let redirectIssuer { pairs.append((DevServerWire.iss, redirectIssuer)) }
        return .redirect(to: uri + (uri.contains("?") ? "&" : "?") + FormPairs.encode(pairs))
    }

    /// Returns a page with the text under `key`.
    func refusePage(_ key: String, _ request: ServerRequest, note: inout Note) -> ServerResponse {
        note.outcome = "page"
        return Page(for: request).message(key, status: 400, mark: .bad, title: "refused.title")
    }
}

extension Character {
    /// Whether the character may occur in base64url.
    var isBase64URL: Bool { isASCII && (isLetter || isNumber || self == "-" || self == "_") }

    /// Whether the character may occur in a verifier, RFC 7636 section 4.1.
    var isUnreserved: Bool { isBase64URL || self == "." || self == "~" }
}
