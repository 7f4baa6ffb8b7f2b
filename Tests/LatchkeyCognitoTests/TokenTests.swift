import Latchkey
import LatchkeyCognito
import LatchkeyJSON
import LatchkeyTesting
import Testing

@Suite("Tokens of a user pool: refreshed, revoked, configured")
struct TokenTests {
    let scene = Scene()

    private func credential() async throws -> Credential { try await scene.principal().credential }

    private func refreshError(_ credential: Credential) async -> (any Error)? {
        let want = TokenWant(session: credential.sessions[0].id)
        do {
            _ = try await scene.provider.refresh(credential, for: want, in: scene.context)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "A refresh says what the end of a session means, and carries no text of the service",
        arguments: [
            ("Refresh Token has been revoked", AuthError.SignInRequiredReason.refused),
            ("Refresh Token has expired", .expired), ("User is disabled.", .banned),
        ])
    func reasons(text: String, reason: AuthError.SignInRequiredReason) async throws {
        let credential = try await credential()
        scene.refuses("InitiateAuth", "NotAuthorizedException", text)
        _ = await refreshError(credential)
        let refusal = try #require(await refreshError(credential) as? Refusal)
        #expect(refusal.reason == reason && refusal.kind == .definite && refusal.issuedNothing)
        #expect(refusal.code == "NotAuthorizedException" && refusal.requestID == "request-1")
    }

    @Test(
        "A token lasts for what the answer says, or for less if the token itself says so; what is no lifetime is passed over",
        arguments: [
            (3_600, nil, 3_600), (3_600, 900, 900), (900, 3_600, 900), (1e15, 600, 600), (-5, 600, 600),
            (nil, 600, 600),
            (3_600, 1e15, 3_600), (1e15, nil, nil), (nil, nil, nil),
        ] as [(Double?, Double?, Double?)])
    func lifetimes(told: Double?, own: Double?, lasts: Double?) async throws {
        let issued = 1_795_000_000.0
        var claims: [String: JSON] = ["iat": .number(issued)]
        claims["exp"] = own.map { .number(issued + $0) }
        var answer = try #require(Scene.granted(claims: .object(claims)).object)
        var result = try #require(answer["AuthenticationResult"]?.object)
        result["ExpiresIn"] = told.map { .number($0) }
        answer["AuthenticationResult"] = .object(result)
        scene.answers("InitiateAuth", .object(answer))
        let grant = try #require(try await scene.signIn().grant)
        let token = try #require(grant.sessions.first?.tokens[.standard])
        #expect(token.lifetime?.lasts.inSeconds == lasts)
    }

    @Test(
        "The tokens of a sign-in that is refused are handed back, to be revoked",
        arguments: [["iss": "https://other.example"], ["client_id": "client2"], ["sub": 7]] as [JSON])
    func refusedTokens(claims: JSON) async throws {
        scene.answers("InitiateAuth", Scene.granted(claims: claims))
        #expect(await failure { try await scene.signIn() }?.mayBeAttack != nil)
        let back = try #require(scene.context.takeGivenBack())
        #expect(back.refreshToken == Secret("refresh-token-1") && back.sessions.count == 1)
    }

    @Test("Tokens of somebody else are not taken for a refresh")
    func otherPerson() async throws {
        let credential = try await credential()
        scene.answers("InitiateAuth", Scene.granted(subject: "sub-2"))
        _ = await refreshError(credential)
        #expect((await refreshError(credential) as? AuthError)?.code == .untrusted(.subject))
    }

    @Test("A throttled refresh waits as long as the service says, and counts as not sent")
    func throttled() async throws {
        let credential = try await credential()
        scene.answers("InitiateAuth", ["__type": "TooManyRequestsException"], status: 400)
        _ = await refreshError(credential)
        #expect((await refreshError(credential) as? NotSent)?.error.code == .rateLimited)
    }

    @Test("This session ends by its refresh token, all of them by an access token, and others alone not at all")
    func revocation() async throws {
        var scene = scene
        let credential = try await credential()
        scene.provider.clientSecret = Secret("s3cr3t")
        scene.answers("RevokeToken")
        scene.answers("GlobalSignOut")
        try await scene.provider.revoke(Revocation(credential), in: scene.context)
        try await scene.provider.revoke(Revocation(credential, scope: .everywhere), in: scene.context)
        let expected: JSON = ["ClientId": "client1", "ClientSecret": "s3cr3t", "Token": "refresh-token-1"]
        #expect(try scene.asked("RevokeToken") == [expected])
        #expect(try scene.asked("GlobalSignOut").first?["AccessToken"] != nil)
        await #expect(throws: AuthError.self) {
            try await scene.provider.revoke(Revocation(credential, scope: .others), in: scene.context)
        }
    }

    @Test(
        "A revocation that the service refuses is told by whether asking again would help",
        arguments: [
            ("UnsupportedTokenTypeException", "No.", AuthError.Code.configuration(.unsupported)),
            ("NotAuthorizedException", "Access Token has expired", .signInRequired(.notAccepted)),
            ("TooManyRequestsException", "Rate exceeded", .rateLimited),
        ])
    func refusedRevocation(exception: String, text: String, code: AuthError.Code) async throws {
        let credential = try await credential()
        scene.refuses("GlobalSignOut", exception, text)
        let error = await failure {
            try await scene.provider.revoke(Revocation(credential, scope: .everywhere), in: scene.context)
            throw Unexpected()
        }
        #expect(error?.code == code)
    }

    @Test(
        "What cannot be a configuration of a pool is refused before anything is sent",
        arguments: [
            ("pool", "client", "https://a.example"), ("eu-west-1_A", "", "https://a.example"),
            ("eu-west-1_A", "client", "http://a.example"),
        ])
    func configuration(pool: String, client: String, endpoint: String) {
        var provider = CognitoProvider.cognito(userPool: pool, clientID: client)
        provider.endpoint = endpoint
        #expect(throws: AuthError.self) { try provider.checkConfiguration() }
    }

    @Test(
        "The pool's region says where the service is, and who issues its tokens",
        arguments: [
            ("us-east-1_A", "https://cognito-idp.us-east-1.amazonaws.com"),
            ("cn-north-1_A", "https://cognito-idp.cn-north-1.amazonaws.com.cn"),
        ])
    func region(pool: String, origin: String) throws {
        let provider = CognitoProvider.cognito(userPool: pool, clientID: "client")
        try provider.checkConfiguration()
        #expect(provider.endpoint == origin)
        #expect(provider.rules.binding.authority == "\(origin)/\(pool)")
    }
}
