import Latchkey
import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeySystem
import LatchkeyOAuthCore
import Testing

@testable import LatchkeyClerk

/// The development server as an instance that wants something done before a session counts.
private final class DemandingInstance: HTTPTransport {
    private let inner: NotedTransport
    private let hasNumbers: Bool
    private let open: Locked<[String]>
    /// The sessions of the last client that was seen.
    let sessions = Locked<[String]>([])

    init(_ inner: NotedTransport, _ tasks: [String], hasNumbers: Bool) {
        (self.inner, self.hasNumbers, open) = (inner, hasNumbers, Locked(tasks))
    }

    var tasks: [String] { open.withLock { $0 } }

    func demand(_ task: String) { open.withLock { $0.append(task) } }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let path = request.url.split(separator: "/v1", maxSplits: 1).last?.prefix { $0 != "?" } ?? ""
        let form = FormEncoding.decode(String(decoding: request.body ?? [], as: UTF8.self)) ?? FormParameters()
        inner.note(request)
        switch path {
        case "/environment":
            let attributes = hasNumbers ? #""phone_number":{"enabled":true,"used_for_second_factor":true},"# : ""
            let app = #""authenticator_app":{"enabled":true,"used_for_second_factor":true}"#
            let body = #"{"user_settings":{"attributes":{\#(attributes)\#(app)}}}"#
            return TransportResponse(status: 200, body: Array(body.utf8))
        case "/me/change_password":
            guard (form["new_password"] ?? "").utf8.count >= 8 else {
                return Self.refused("form_password_length_too_short")
            }
            return done("reset-password")
        case "/me/totp":
            return Self.answer(["object": "totp", "secret": "JBSWY3DPEHPK3PXP", "uri": "otpauth://totp/x?secret=J"])
        case "/me/totp/attempt_verification":
            return form["code"] == "123456" ? done("setup-mfa") : Self.refused("form_code_incorrect")
        case "/organizations": return Self.answer(["object": "organization", "id": "org_engines"])
        default: return told(of: path, try await inner.send(request, deadline: deadline))
        }
    }

    private func done(_ task: String) -> TransportResponse {
        open.withLock { $0.removeAll { $0 == task } }
        return Self.answer(["object": "user"])
    }

    private static func answer(_ content: JSON) -> TransportResponse {
        TransportResponse(status: 200, body: JSON.object(["response": content, "client": .null]).serialized())
    }

    private static func refused(_ code: String) -> TransportResponse {
        TransportResponse(status: 422, body: Array(#"{"errors":[{"code":"\#(code)"}]}"#.utf8))
    }

    /// Says in the client, and in a token, that the session is pending.
    private func told(of path: Substring, _ response: TransportResponse) -> TransportResponse {
        guard response.status == 200, !tasks.isEmpty, let body = try? JSON.parse(response.body) else { return response }
        var response = response
        if path == "/client", var client = body["response"]?.object {
            sessions.withLock { $0 = (client["sessions"]?.array ?? []).compactMap { $0["id"]?.string } }
            client["sessions"] = .array(
                (client["sessions"]?.array ?? []).map { entry in
                    var session = entry.object ?? [:]
                    session["status"] = "pending"
                    session["tasks"] = .array(tasks.map { ["key": .string($0)] })
                    return .object(session)
                })
            response.body = JSON.object(["response": .object(client), "client": .null]).serialized()
        }
        if path.hasSuffix("/tokens"), let token = body["jwt"]?.string {
            let parts = token.split(separator: ".").map(String.init)
            guard let bytes = try? Base64URL.decode(Array(parts[1].utf8)[...]),
                var claims = try? JSON.parse(bytes).object
            else { return response }
            claims["sts"] = "pending"
            let payload = Base64URL.encode(JSON.object(claims).serialized())
            let pending = JSON.object(["object": "token", "jwt": .string("\(parts[0]).\(payload).\(parts[2])")])
            response.body = pending.serialized()
        }
        return response
    }
}

@Suite("What an instance wants done before a session counts", .serialized) struct TaskTests {
    private struct Demanding {
        let scene: Scene
        let instance: DemandingInstance
        let auth: AuthClient

        init(
            _ tasks: [String] = [], hasNumbers: Bool = false, _ change: (inout DevServer.Clerk) -> Void = { _ in }
        ) throws {
            scene = try Scene(change)
            instance = DemandingInstance(scene.transport, tasks, hasNumbers: hasNumbers)
            auth = try AuthClient.Builder().provider(scene.provider).store(.memory).transport(instance).build()
        }

        func begin() async throws -> Challenge { try await challenge(auth.begin(Scene.ofAda, with: "clerk")) }

        func answer(_ answer: Answer, to challenge: Challenge) async throws -> SignInStep {
            try await auth.answer(answer, to: challenge.id)
        }

        func challenge(_ step: SignInStep) throws -> Challenge {
            guard case .asked(let challenge) = step else { throw Missing() }
            return challenge
        }
    }

    private func code(_ work: () async throws -> Void) async -> AuthError.Code? {
        do { try await work() } catch { return (error as? AuthError)?.code }
        return nil
    }

    @Test("a new password: nobody is signed in before, and one that is too short can be corrected")
    func password() async throws {
        let scene = try Demanding(["reset-password"])
        let challenge = try await scene.begin()
        guard case .newPassword = challenge.ask else { throw Missing() }
        #expect(try await scene.auth.accounts().isEmpty)
        #expect(
            await code { _ = try await scene.answer(.password(Secret("x")), to: challenge) }
                == .refused(.passwordNotAccepted))
        let end = try await scene.answer(.password(Secret("long enough for it")), to: challenge)
        guard case .signedIn = end else { throw Missing() }
        _ = try await scene.auth.accessToken()
        #expect(
            scene.scene.transport.requests.contains {
                $0.url.contains("/me/change_password") && $0.url.contains("_clerk_session_id=sess_")
            })
    }

    @Test("a second factor is set up: the key is shown, and a wrong code can be corrected")
    func factor() async throws {
        let scene = try Demanding(["setup-mfa"])
        let challenge = try await scene.begin()
        guard case .enrolment(let enrolment) = challenge.ask else { throw Missing() }
        #expect(enrolment.key == "JBSWY3DPEHPK3PXP")
        #expect(
            await code { _ = try await scene.answer(.code(Secret("000000")), to: challenge) } == .refused(.wrongInput))
        guard case .signedIn = try await scene.answer(.code(Secret("123456")), to: challenge) else { throw Missing() }
        _ = try await scene.auth.accessToken()
    }

    @Test("where numbers prove a second factor too, the person chooses: an app, a number that is there, or another one")
    func number() async throws {
        for choice in ["idn", "phone_code"] {
            let scene = try Demanding(hasNumbers: true) { $0.settings = [.setupMFA] }
            var challenge = try await scene.begin()
            guard case .choose(let options) = challenge.ask else { throw Missing() }
            #expect(options.map(\.id).first == "totp" && options.count == 3)
            let id = try #require(options.first { choice == "idn" ? $0.label.hasSuffix("0100") : $0.id == choice }?.id)
            var step = try await scene.answer(.choice(id), to: challenge)
            if choice == "phone_code" {
                challenge = try scene.challenge(step)
                step = try await scene.answer(.fields(["phone_number": Secret("+12015550123")]), to: challenge)
                challenge = try scene.challenge(step)
                #expect(challenge.ask == .code(over: .sms, sentTo: "+12015550123"))
                let wrong = await code { _ = try await scene.answer(.code(Secret("000000")), to: challenge) }
                #expect(wrong == .refused(.wrongInput))
                step = try await scene.answer(.code(Secret("424242")), to: challenge)
            }
            guard case .signedIn = step else { throw Missing() }
            _ = try await scene.auth.accessToken()
        }
    }

    @Test("an organization is chosen, or made; another one than was offered is not taken")
    func organization() async throws {
        for isNew in [false, true] {
            let scene = try Demanding { $0.mustChooseOrganization = true }
            let challenge = try await scene.begin()
            guard case .choose(let options) = challenge.ask else { throw Missing() }
            #expect(options.map(\.id) == ["org_engines", "new"])
            await #expect(throws: AuthError.self) { try await scene.answer(.choice("org_other"), to: challenge) }
            var step = try await scene.answer(.choice(isNew ? "new" : "org_engines"), to: challenge)
            if isNew { step = try await scene.answer(.fields(["name": Secret("Mine")]), to: scene.challenge(step)) }
            guard case .signedIn = step else { throw Missing() }
            let token = try await scene.auth.accessToken()
            #expect(try ClerkClaims(unverified: token.value).organization?.id == "org_engines")
        }
    }

    @Test("several tasks are asked for one after another, and a task that nobody knows is told")
    func several() async throws {
        let scene = try Demanding(["setup-mfa", "reset-password"])
        let first = try await scene.begin()
        let second = try scene.challenge(await scene.answer(.code(Secret("123456")), to: first))
        guard case .newPassword = second.ask else { throw Missing() }
        guard case .signedIn = try await scene.answer(.password(Secret("long enough")), to: second) else {
            throw Missing()
        }
        let other = try Demanding(["dance"])
        let error = await #expect(throws: AuthError.self) { try await other.begin() }
        #expect(error?.code == .refused(.factorRequired) && error?.message.contains("dance") == true)
        // Nobody would know of its session.
        #expect(other.scene.server.clerkSessionCount == 0)
    }

    @Test("who declines is not signed in, and the service has no session of it")
    func declined() async throws {
        let scene = try Demanding(["setup-mfa"])
        let challenge = try await scene.begin()
        #expect(await code { _ = try await scene.answer(.declined, to: challenge) } == .declined)
        #expect(scene.scene.server.clerkSessionCount == 0)
    }

    @Test("a session of which something is wanted later gives no new token, stays, and goes on after the next sign-in")
    func later() async throws {
        let scene = try Demanding()
        let session = try await scene.auth.signIn(
            with: "clerk", .password(identifier: Scene.ada, Secret("ada-password")))
        scene.instance.demand("reset-password")
        #expect(await code { try await scene.auth.refresh() } == .signInRequired(.factorRequired))
        // The token that is there is used while it lasts.
        #expect(try await scene.auth.accessToken().value == session.tokens[.standard]?.value)
        // Another process finds the same.
        #expect(scene.scene.server.clerkSessionCount == 1)
        let signedIn =
            #"{"errors":[{"code":"identifier_already_signed_in","meta":{"session_id":"\#(session.id.value)"}}]}"#
        scene.scene.transport.answer { request in
            guard request.method == "POST", request.url.contains("/sign_ins?") else { return nil }
            return TransportResponse(status: 400, body: Array(signedIn.utf8))
        }
        let challenge = try await scene.begin()
        guard case .newPassword = challenge.ask else { throw Missing() }
        let end = try await scene.answer(.password(Secret("long enough")), to: challenge)
        guard case .signedIn(let again) = end else { throw Missing() }
        #expect(again.id == session.id)
        _ = try await scene.auth.accessToken()
        #expect(scene.scene.server.clerkSessionCount == 1)
    }

    @Test("a sign-in on another person's client that was given up half-way does not keep its person out")
    func givenUp() async throws {
        let scene = try Demanding { clerk in
            for index in clerk.users.indices { (clerk.users[index].totp, clerk.users[index].backupCodes) = (nil, []) }
        }
        _ = try await scene.auth.signIn(with: "clerk", .password(identifier: Scene.ada, Secret("ada-password")))
        scene.instance.demand("reset-password")
        let first = try scene.challenge(await scene.auth.begin(Scene.ofGrace, with: "clerk"))
        guard case .newPassword = first.ask else { throw Missing() }
        let left = try #require(scene.instance.sessions.withLock { $0.last })
        let (server, signedIn) = (scene.scene.server, #"{"errors":[{"code":"identifier_already_signed_in","meta":"#)
        scene.scene.transport.answer { request in
            guard request.method == "POST", request.url.contains("/sign_ins?"), server.clerkSessionCount == 2 else {
                return nil
            }
            return TransportResponse(status: 400, body: Array("\(signedIn){\"session_id\":\"\(left)\"}}]}".utf8))
        }
        let begun = try scene.challenge(await scene.auth.begin(Scene.ofGrace, with: "clerk"))
        #expect(scene.instance.sessions.withLock { !$0.contains(left) })
        #expect(try await scene.auth.accounts().count == 1)
        let end = try await scene.answer(.password(Secret("long enough")), to: begun)
        guard case .signedIn = end else { throw Missing() }
        #expect(try await scene.auth.accounts().count == 2 && server.clerkSessionCount == 2)
    }
}
