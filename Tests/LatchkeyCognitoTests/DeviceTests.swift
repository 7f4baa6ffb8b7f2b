import Latchkey
import LatchkeyCognito
import LatchkeyJSON
import LatchkeyTesting
import Testing

@Suite("Devices that a user pool tracks")
struct DeviceTests {
    let scene = Scene()

    private func signedInOnDevice() async throws -> AuthSession {
        scene.answers("InitiateAuth", Scene.granted(device: "device-1"))
        scene.answers("ConfirmDevice", ["UserConfirmationNecessary": false])
        return try #require(try await scene.signIn().grant?.sessions.first)
    }

    private func sentKeys() throws -> [JSON?] {
        try scene.asked("InitiateAuth").map { $0["AuthParameters"]?["DEVICE_KEY"] }
    }

    @Test("A new device is confirmed, kept for the account, and sent at the next sign-in by any of its names")
    func known() async throws {
        let session = try await signedInOnDevice()
        let confirmed = try #require(try scene.asked("ConfirmDevice").first)
        #expect(confirmed["DeviceKey"] == "device-1")
        #expect(confirmed["DeviceSecretVerifierConfig"]?["PasswordVerifier"]?.string?.count == 512)
        #expect(try await scene.context.memory.accounts() == [session.account])
        for name in ["ada", "user-1", "ada@example.test", "bob"] {
            _ = try await scene.begin(.signIn(.password(identifier: name, Secret("correct horse"))))
        }
        #expect(try sentKeys() == [nil, "device-1", "device-1", "device-1", nil])
    }

    @Test(
        "The key goes with each refresh, also those by the other call",
        arguments: [ProviderRules.RefreshRule.fixed, .newSuccessor])
    func refreshes(rule: ProviderRules.RefreshRule) async throws {
        var scene = scene
        scene.provider.refresh = rule
        let session = try await signedInOnDevice()
        let credential = Credential(
            id: Credential.ID("c"), binding: scene.provider.rules.binding, refreshToken: Secret("refresh-token-1"),
            sessions: [session])
        scene.answers("InitiateAuth", Scene.granted(refresh: nil))
        scene.answers("GetTokensFromRefreshToken", Scene.granted())
        let want = TokenWant(session: session.id)
        let change = try await scene.provider.refresh(credential, for: want, in: scene.context)
        #expect(change.sessions?.first?.state["device"] == "device-1")
        let sent =
            rule == .fixed ? try sentKeys().last : try scene.asked("GetTokensFromRefreshToken")[0]["DeviceKey"]
        #expect(sent == "device-1")
    }

    @Test("A device that the service has forgotten is forgotten here, and the sign-in goes on without it")
    func forgotten() async throws {
        _ = try await signedInOnDevice()
        scene.refuses("InitiateAuth", "ResourceNotFoundException", "Device does not exist.")
        scene.answers("InitiateAuth", Scene.granted())
        _ = try await scene.signIn()
        #expect(try await scene.signIn().grant != nil)
        #expect(try sentKeys().count == 4)
        #expect(try await scene.context.memory.accounts().isEmpty)
    }

    @Test("A device that is to prove itself signs in by the factor instead")
    func proof() async throws {
        _ = try await signedInOnDevice()
        scene.answers("InitiateAuth", Scene.challenge("DEVICE_SRP_AUTH"))
        scene.answers("InitiateAuth", Scene.challenge("SOFTWARE_TOKEN_MFA"))
        _ = try await scene.signIn()
        #expect(try await scene.signIn().ask == .totp)
        #expect(try sentKeys().suffix(2) == ["device-1", nil])
    }

    @Test("Whose device cannot be confirmed is signed in all the same")
    func unconfirmed() async throws {
        scene.answers("InitiateAuth", Scene.granted(device: "device-1"))
        scene.refuses("ConfirmDevice", "InternalErrorException")
        #expect(try await scene.signIn().grant?.sessions.first?.state["device"] == "device-1")
    }
}
