import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeyTesting
import Testing

@testable import LatchkeyClerk

@Suite("Passkeys at Clerk") struct PasskeyTests {
    private struct Signed {
        let scene: Scene
        let auth: AuthClient
        let clerk: ClerkHandle
        var device: Authenticator

        init() async throws {
            scene = try Scene()
            auth = try AuthClient.Builder().provider(scene.provider).store(.memory).transport(scene.transport).build()
            _ = try await auth.signIn(with: "clerk", .password(identifier: Scene.ada, Secret("ada-password")))
            (clerk, device) = (try auth.clerk(), try Authenticator())
        }

        /// Gives Ada a passkey on the device.
        func enrol() async throws -> String {
            let request = try await clerk.addPasskey()
            try await clerk.verifyPasskey(request.id, credential: device.made(for: request.options))
            return request.id
        }
    }

    private func code(_ work: () async throws -> Void) async -> AuthError.Code? {
        do { try await work() } catch { return (error as? AuthError)?.code }
        return nil
    }

    private func options(_ turn: Turn) throws -> JSON {
        guard case .passkey(let request) = try turn.challenge().ask else { throw Missing() }
        return request
    }

    @Test("one is made, named, used in place of password and second factor, and taken away")
    func whole() async throws {
        let signed = try await Signed()
        let id = try await signed.enrol()
        try await signed.clerk.renamePasskey(id, to: "Key ring")
        #expect(try await signed.clerk.passkeys() == [ClerkPasskey(id: id, name: "Key ring")])
        let turn = try await signed.scene.begin(.signIn(.passkey))
        #expect(try options(turn)["rpId"] == "latchkey.clerk.accounts.dev")
        let answer = Answer.assertion(try signed.device.signed(for: options(turn)))
        let grant = try await signed.scene.answer(answer, turn).grant()
        #expect(grant.sessions[0].label == Scene.ada)
        // The challenge was for one use.
        await #expect(throws: (any Error).self) { try await signed.scene.answer(answer, turn) }
        try await signed.clerk.removePasskey(id)
        #expect(try await signed.clerk.passkeys().isEmpty)
        let later = try await signed.scene.begin(.signIn(.passkey))
        let gone = Answer.assertion(try signed.device.signed(for: options(later)))
        await #expect(throws: AuthError.self) { try await signed.scene.answer(gone, later) }
    }

    @Test("one is a factor to choose, and a proof for whoever is signed in")
    func factor() async throws {
        let signed = try await Signed()
        _ = try await signed.enrol()
        let device = signed.device
        let (asked, chosen) = try await first(of: signed)
        #expect(asked.contains { $0.id == "passkey" && $0.label == "Passkey" })
        let answer = Answer.assertion(try device.signed(for: options(chosen)))
        _ = try await signed.scene.answer(answer, chosen).grant()
        let presenter = ScriptedPresenter { challenge in
            switch challenge.ask {
            case .choose: .choice("passkey")
            case .passkey(let request): .assertion((try? device.signed(for: request)) ?? Secret("{}"))
            default: .declined
            }
        }
        _ = try await signed.auth.converse(.stepUp(StepUp(acr: ["first_factor"])), with: "clerk", asking: presenter)
    }

    /// Ada says who she is, and chooses the passkey.
    private func first(of signed: Signed) async throws -> ([Ask.Option], Turn) {
        let begun = try await signed.scene.begin(.signIn(.passkey))
        var pending = try begun.challenge().state.object ?? [:]
        pending["strategy"] = nil
        let service = ClerkService(
            signed.scene.provider, signed.scene.context, token: pending["token"]?.string.map { Secret($0) })
        let turn = try await ClerkConversation(service).signIn(["identifier": Scene.ada])
        guard case .choose(let options) = try turn.challenge().ask else { throw Missing() }
        return (options, try await signed.scene.answer(.choice("passkey"), turn))
    }

    @Test(
        "another key, another service, another challenge and no credential are refused, and the next try may be right")
    func refused() async throws {
        let signed = try await Signed()
        _ = try await signed.enrol()
        var phished = signed.device
        phished.host = "latchkey.evil.example"
        let other = try Authenticator()
        for wrong in [
            { try phished.signed(for: $0) }, { try other.signed(for: $0) }, { try signed.device.made(for: $0) },
            { _ in try signed.device.signed(for: ["challenge": "AAAA"]) }, { _ in Secret("{}") }, { _ in Secret("no") },
        ] as [(JSON) throws -> Secret] {
            let turn = try await signed.scene.begin(.signIn(.passkey))
            let answer = Answer.assertion(try wrong(options(turn)))
            #expect(await code { _ = try await signed.scene.answer(answer, turn) } != nil)
        }
        #expect(signed.scene.server.clerkSessionCount == 1)
        let request = try await signed.clerk.addPasskey()
        let made = try phished.made(for: request.options)
        #expect(await code { try await signed.clerk.verifyPasskey(request.id, credential: made) } != nil)
        #expect(try await signed.clerk.passkeys().count == 1)
    }

    @Test("an answer without options is an error, and no crash", arguments: ["", "[]", "no", "{"])
    func malformed(_ nonce: String) async throws {
        let scene = try Scene()
        let body: JSON = [
            "response": [
                "id": "sia_1", "status": "needs_first_factor",
                "first_factor_verification": ["strategy": "passkey", "nonce": .string(nonce)],
            ]
        ]
        scene.transport.answer { _ in TransportResponse(status: 200, body: body.serialized()) }
        #expect(await code { _ = try await scene.begin(.signIn(.passkey)) } == .untrusted(.malformed))
    }
}
