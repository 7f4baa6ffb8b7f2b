import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

/// The changes that an attack makes. Without an attack there are none.
extension DevState {
    var attack: DevServer.Attack? { configuration.attack }

    /// Returns a redirect to the victim, if the attack diverts this endpoint.
    func diverted(_ endpoint: DevServer.Endpoint) -> ServerResponse? {
        switch (attack, endpoint) {
        case (.divertedDocuments, .discovery), (.divertedDocuments, .keys), (.divertedPosts, .token):
            .redirect(to: configuration.victim + endpoint.path, status: 307)
        default: nil
        }
    }

    /// Sends the browser to the victim, with the unchanged request.
    func mixedUp(_ request: ServerRequest) -> ServerResponse? {
        guard attack == .mixUp else { return nil }
        let address = configuration.victim + DevServer.Endpoint.authorize.path
        return .redirect(to: "\(address)?\(FormPairs.encode(request.queryPairs))")
    }

    /// Returns the document, forged if the attack is on it.
    func forged(document members: [String: JSON]) -> [String: JSON] {
        var members = members
        switch attack {
        case .mixUp: members[DevServerWire.issParameterSupported] = nil
        case .plainChallenges: members[DevServerWire.challengeMethods] = .array([.string("plain")])
        case .foreignDocument: members[DevServerWire.issuer] = .string(configuration.victim)
        case .insecureEndpoint: members[DevServerWire.tokenEndpoint] = .string("http://another.example/token")
        case .unsigned, .symmetric:
            members[DevServerWire.algorithms] = .array(["none", "HS256", keys.algorithm.rawValue].map(JSON.string))
        default: break
        }
        return members
    }

    /// The method that challenges must have.
    var challengeMethod: String { attack == .plainChallenges ? "plain" : "S256" }

    /// Returns the address for the code.
    func forged(redirect uri: String) -> String {
        attack == .strayRedirect ? "\(configuration.victim)/callback" : uri
    }

    /// The `iss` that comes with the code or the error; `nil` for none.
    var redirectIssuer: String? {
        switch attack {
        case .missingIssuer: nil
        case .foreignIssuer: configuration.victim
        default: issuer
        }
    }

    /// Returns the parameters of the redirect that grants `code`.
    func forged(code: String) -> [(String, String)] {
        switch attack {
        case .injectedCode, .uncheckedCode: [(DevServerWire.code, loot.code ?? code)]
        case .frontChannelTokens:
            [
                (DevServerWire.accessToken, Self.random("dat_")), (DevServerWire.tokenType, "Bearer"),
                (DevServerWire.idToken, loot.idToken ?? ""),
            ]
        default: [(DevServerWire.code, code)]
        }
    }

    /// The token type of every answer.
    var tokenType: String { attack == .foreignTokenType ? "mac" : "Bearer" }

    /// Returns an ID token with these claims: forged during an attack on ID tokens, otherwise kept for a later
    /// attack.
    mutating func idToken(_ claims: [String: JSON], now: Int64) throws -> String {
        guard let attack else {
            let signed = try keys.sign(.object(claims))
            loot.idToken = signed
            return signed
        }
        if attack == .replayedToken, let replayed = loot.idToken { return replayed }
        return try keys.sign(.object(forged(claims, by: attack, now: now)), attack: attack)
    }

    /// Returns signed claims of the userinfo endpoint, forged as ID tokens are during an attack on those.
    func signedUserInfo(_ claims: [String: JSON], now: Int64) throws -> String {
        guard let attack else { return try keys.sign(.object(claims)) }
        return try keys.sign(.object(forged(claims, by: attack, now: now)), attack: attack)
    }

    private func forged(_ claims: [String: JSON], by attack: DevServer.Attack, now: Int64) -> [String: JSON] {
        var claims = claims
        let client = claims["aud"] ?? .null
        switch attack {
        case .foreignTokenIssuer: claims["iss"] = .string(configuration.victim)
        case .foreignAudience: claims["aud"] = .string("another-client")
        case .sharedAudience: claims["aud"] = .array([client, .string("another-client")])
        case .foreignParty: claims["azp"] = .string("another-client")
        case .expiredToken:
            claims["iat"] = .integer(now - 7_200)
            claims["exp"] = .integer(now - 3_600)
        case .oldToken: claims["iat"] = .integer(now - 172_800)
        case .missingNonce: claims[DevServerWire.nonce] = nil
        case .foreignHash: claims[DevServerWire.atHash] = .string(keys.half(of: Self.random("dat_")))
        case .missingProof: claims[DevServerWire.authTime] = nil
        default: break
        }
        return claims
    }

    /// Returns the subject for the userinfo endpoint.
    func userinfoSubject(_ subject: String) -> String { attack == .foreignPerson ? "user-mallory" : subject }
}
