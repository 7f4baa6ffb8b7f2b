import Foundation
import Latchkey
import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeySystem
import LatchkeyPluginKit
import LatchkeyTesting
import Testing

@testable import LatchkeyClerk

/// What the specification of 2026-05-12 lets the service answer, made from its schemas: everything that may be there, nothing but what
/// must be, and each value of an enumeration.
struct SpecifiedAnswer: Sendable, CustomTestStringConvertible {
    let method: String
    let path: String
    let response: TransportResponse

    var testDescription: String { "\(method) \(path) \(response.status)" }

    /// What the envelope holds.
    var content: JSON {
        let body = (try? JSON.parse(response.body, limits: JSONLimits(bytes: 1 << 20, depth: 64))) ?? .null
        return body.object?["response"] ?? body
    }

    static let all: [Self] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let text = try? String(contentsOf: folder.appending(path: "Specified/answers.jsonl"), encoding: .utf8)
        return (text ?? "").split(separator: "\n").flatMap { line -> [Self] in
            guard let json = try? JSON.parse(Array(line.utf8), limits: JSONLimits(bytes: 1 << 20, depth: 64)),
                let body = json["body"], let status = json["status"]?.integer
            else { return [] }
            // The schemas say that a token is a text, and no more.
            let bytes = String(decoding: body.serialized(), as: UTF8.self)
                .replacing("\"jwt\":\"text\"", with: "\"jwt\":\"\(jwt)\"")
                .replacing("\"nonce\":\"text\"", with: "\"nonce\":\"{}\"")
                .replacing("redirect_url\":\"text\"", with: "redirect_url\":\"https://example.test/\"")
            let response = TransportResponse(
                status: Int(status), fields: ["Content-Type": "application/json"], body: Array(bytes.utf8))
            return (json["to"]?.array ?? []).compactMap(\.string).map { to in
                let words = to.split(separator: " ").map(String.init)
                return Self(method: words[0], path: words[1], response: response)
            }
        }
    }()

    private static let jwt: String = {
        let claims: JSON = ["sub": "text", "sid": "text", "iat": 1_785_086_400, "exp": 1_785_086_460]
        return [JSON.object(["alg": "RS256"]), claims].map { Base64URL.encode($0.serialized()) }.joined(separator: ".")
            + ".e30"
    }()

    static func of(_ paths: (String) -> Bool) -> [Self] { all.filter { $0.response.status == 200 && paths($0.path) } }

    /// Whether the request is one that this answers.
    func fits(_ request: TransportRequest) -> Bool {
        guard request.method == method, let start = request.url.firstRange(of: "/v1/") else { return false }
        let asked = request.url[start.upperBound...].prefix { $0 != "?" }.split(separator: "/")
        let own = path.split(separator: "/")
        return asked.count == own.count && zip(asked, own).allSatisfy { $1 == "{}" || $0 == $1 }
    }
}

@Suite("What the specification lets the service answer", .serialized) struct SpecifiedTests {
    /// What must not come of an answer that is as specified.
    private func isRead(_ work: () async throws -> Void) async -> Bool {
        do { try await work() } catch let error as AuthError {
            return error.code != .untrusted(.malformed)
        } catch { return false }
        return true
    }

    /// A conversation whose service has the client of the specification.
    private func conversation(_ kind: String) throws -> (ClerkConversation, Principal) {
        let client = try #require(SpecifiedAnswer.of { $0 == "/client" }.first)
        let transport = ScriptedTransport()
        let noted = NotedTransport(transport)
        noted.answer { request in
            if client.fits(request) { return client.response }
            let empty: JSON = ["response": ["object": "none"]]
            return TransportResponse(status: 200, body: empty.serialized())
        }
        let provider: ClerkProvider = .clerk(publishableKey: "pk_test_bGF0Y2hrZXkuY2xlcmsuYWNjb3VudHMuZGV2JA")
        var context = ProviderContext(world: .system, transport: noted, cache: KeepingCache())
        let session = AuthSession(id: .init("text"), account: AccountID(subject: "text", of: provider.rules.binding))
        let credential = Credential(
            id: .init("c"), binding: provider.rules.binding, refreshToken: Secret("client-token"), sessions: [session])
        let principal = Principal(credential, session: session)
        if kind == "verify" { context.principal = principal }
        let service = ClerkService(provider, context, token: Secret("client-token"))
        return (ClerkConversation(service, ["kind": .string(kind), "attempt": "text"]), principal)
    }

    @Test("there are answers to all that this provider asks")
    func count() { #expect(Set(SpecifiedAnswer.all.map { "\($0.method) \($0.path)" }).count == 55) }

    @Test("a sign-in in each of its states", arguments: SpecifiedAnswer.of { $0.hasPrefix("/client/sign_ins") })
    func signIn(_ answer: SpecifiedAnswer) async throws {
        let (conversation, _) = try conversation("sign_in")
        // The schema lets a sign-in be complete without a session, which is no answer that can be used.
        let isEmpty = answer.content["status"] == "complete" && answer.content["created_session_id"]?.string == nil
        #expect(await isEmpty != isRead { _ = try await conversation.next(answer.content) })
    }

    @Test("a sign-up in each of its states", arguments: SpecifiedAnswer.of { $0.hasPrefix("/client/sign_ups") })
    func signUp(_ answer: SpecifiedAnswer) async throws {
        let (conversation, _) = try conversation("sign_up")
        #expect(await isRead { _ = try await conversation.nextOfSignUp(answer.content) })
    }

    @Test(
        "a proof in each of its states",
        arguments: SpecifiedAnswer.of { $0.hasPrefix("/client/sessions/{}/verify") })
    func proof(_ answer: SpecifiedAnswer) async throws {
        let (conversation, _) = try conversation("verify")
        // Where the proof is complete, a token is asked for, which is another answer.
        guard answer.content["status"] != "complete" else { return }
        #expect(await isRead { _ = try await conversation.nextOfStepUp(answer.content) })
    }

    @Test("a client, with its sessions or none", arguments: SpecifiedAnswer.of { $0 == "/client" })
    func client(_ answer: SpecifiedAnswer) throws {
        let service = try conversation("verify").0.service
        // What it is without a user is nobody's session.
        for session in answer.content["sessions"]?.array ?? [] where session["user"]?.object != nil {
            let read = try SessionWire.session(JSONField(session), of: service.provider, in: service.context)
            #expect(read.id.value == "text")
        }
    }

    @Test("a token", arguments: SpecifiedAnswer.of { $0.hasPrefix("/client/sessions/{}/tokens") })
    func token(_ answer: SpecifiedAnswer) async throws {
        let (conversation, principal) = try conversation("verify")
        let transport = NotedTransport(ScriptedTransport())
        transport.answer { answer.fits($0) ? answer.response : nil }
        let context = ProviderContext(world: .system, transport: transport, cache: KeepingCache())
        let want = TokenWant(
            session: .init("text"), audience: answer.path.hasSuffix("tokens") ? .standard : .template("text"))
        // An answer without a token is no token.
        guard answer.content["jwt"]?.string != nil else {
            await #expect(throws: AuthError.self) {
                try await conversation.provider.refresh(principal.credential, for: want, in: context)
            }
            return
        }
        let change = try await conversation.provider.refresh(principal.credential, for: want, in: context)
        #expect(change.minted[.init("text")]?[want.audience] != nil)
    }

    @Test("each refusal is an error with a code", arguments: SpecifiedAnswer.all.filter { $0.response.status != 200 })
    func refusal(_ answer: SpecifiedAnswer) async throws {
        let scene = try Scene()
        scene.transport.answer { _ in answer.response }
        let error = await #expect(throws: AuthError.self) { try await scene.begin(Scene.ofAda) }
        #expect(error?.code != .untrusted(.malformed))
    }

    @Test("what is answered about the person, their sessions and organizations")
    func person() async throws {
        let scene = try Scene()
        let auth = try AuthClient.Builder().provider(scene.provider).store(.memory).transport(scene.transport).build()
        _ = try await auth.signIn(with: "clerk", .password(identifier: Scene.ada, Secret("ada-password")))
        let clerk = try auth.clerk()
        var seen: Set<String> = []
        let about = SpecifiedAnswer.of { path in
            path.hasPrefix("/me") || path == "/environment" || path == "/client/sessions/{}/touch"
                || path == "/client/sessions/{}"
                || path == "/client/sessions/{}/remove"
        }
        for answer in about {
            scene.transport.answer { answer.fits($0) ? answer.response : Self.usual($0) }
            let isRead = await isRead { try await Self.call(answer, clerk, auth, scene) }
            // An authenticator app without its key is none, nor is a passkey without its options, or a visit without a page.
            let verification = answer.content["verification"]
            let needed: JSON? =
                switch "\(answer.method) \(answer.path)" {
                case "POST /me/totp": answer.content["secret"]
                case "POST /me/passkeys": verification?["nonce"]
                case "POST /me/external_accounts": verification?["external_verification_redirect_url"]
                default: "something"
                }
            let isEmpty = needed?.string == nil
            #expect(
                isRead != isEmpty,
                "\(answer.testDescription): \(String(decoding: answer.response.body.prefix(300), as: UTF8.self))")
            seen.insert("\(answer.method) \(answer.path)")
            if try await auth.accounts().isEmpty {
                scene.transport.answer { _ in nil }
                _ = try await auth.signIn(with: "clerk", .password(identifier: Scene.ada, Secret("ada-password")))
            }
        }
        #expect(seen.count == 35)
    }

    /// What comes before or after the call that is meant.
    private static func usual(_ request: TransportRequest) -> TransportResponse? {
        guard request.url.contains("/me/"), request.method == "POST" else { return nil }
        let entry: JSON = ["response": ["id": "idn_1"]]
        return TransportResponse(status: 200, body: entry.serialized())
    }

    private static func call(
        _ answer: SpecifiedAnswer, _ clerk: ClerkHandle, _ auth: AuthClient, _ scene: Scene
    ) async throws {
        let code = Secret("424242")
        switch "\(answer.method) \(answer.path)" {
        case "GET /me": _ = try await clerk.me()
        case "PATCH /me": _ = try await clerk.update(firstName: "Ada")
        case "DELETE /me": try await clerk.deleteAccount()
        case "PATCH /me/metadata": _ = try await clerk.mergeMetadata(["a": 1])
        case "POST /me/change_password": try await clerk.changePassword(to: Secret("long enough"))
        case "POST /me/remove_password": try await clerk.removePassword(Secret("x"))
        case "POST /me/totp": _ = try await clerk.enrollTOTP()
        case "DELETE /me/totp": try await clerk.removeTOTP()
        case "POST /me/totp/attempt_verification": _ = try await clerk.verifyTOTP(code)
        case "POST /me/backup_codes": _ = try await clerk.makeBackupCodes()
        case "POST /me/email_addresses", "POST /me/email_addresses/{}/prepare_verification":
            _ = try await clerk.addEmail("a@example.test")
        case "POST /me/email_addresses/{}/attempt_verification": try await clerk.verifyEmail("idn_1", code: code)
        case "DELETE /me/email_addresses/{}": try await clerk.removeEmail("idn_1")
        case "POST /me/phone_numbers", "POST /me/phone_numbers/{}/prepare_verification":
            _ = try await clerk.addPhone("+12015550111")
        case "POST /me/phone_numbers/{}/attempt_verification": try await clerk.verifyPhone("idn_1", code: code)
        case "DELETE /me/phone_numbers/{}": try await clerk.removePhone("idn_1")
        case "DELETE /me/external_accounts/{}": try await clerk.removeExternalAccount("idn_1")
        case "POST /me/external_accounts":
            _ = try await clerk.connectAccount("github", redirect: "http://127.0.0.1:1/")
        case "POST /me/passkeys": _ = try await clerk.addPasskey()
        case "PATCH /me/passkeys/{}": try await clerk.renamePasskey("idn_1", to: "Key")
        case "DELETE /me/passkeys/{}": try await clerk.removePasskey("idn_1")
        case "POST /me/passkeys/{}/attempt_verification": try await clerk.verifyPasskey("idn_1", credential: code)
        case "POST /me/profile_image": try await clerk.setImage([1], type: "image/png")
        case "DELETE /me/profile_image": try await clerk.removeImage()
        case "GET /me/organization_invitations": _ = try await clerk.invitations()
        case "POST /me/organization_invitations/{}/accept": try await clerk.acceptInvitation("orginv_1")
        case "GET /client/sessions/{}": _ = try await clerk.tasks()
        case "GET /me/sessions/active": _ = try await clerk.sessions()
        case "POST /me/sessions/{}/revoke": try await clerk.endSession("sess_1")
        case "GET /me/organization_memberships": _ = try await clerk.organizations()
        case "GET /environment": _ = try await clerk.environment()
        case "POST /client/sessions/{}/touch": try await clerk.selectOrganization(nil)
        case "POST /client/sessions/{}/remove": _ = try await auth.signOut()
        default: throw Missing()
        }
    }
}
