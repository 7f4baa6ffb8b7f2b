import Foundation
import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeyPluginKit
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyClerk

@Suite("What only Clerk can do", .serialized) struct HandleTests {
    private struct Signed {
        let scene: Scene
        let auth: AuthClient
        let clerk: ClerkHandle

        init(clock: (any AuthClock)? = nil, _ change: (inout DevServer.Clerk) -> Void = { _ in }) async throws {
            scene = try Scene(change)
            var world = PluginContext.system
            world.clock = clock ?? world.clock
            auth = try AuthClient.Builder().provider(scene.provider).store(.memory).transport(scene.transport)
                .context(world).build()
            _ = try await auth.signIn(with: "clerk", .password(identifier: Scene.ada, Secret("ada-password")))
            clerk = try auth.clerk()
        }
    }

    private func code(_ work: () async throws -> Void) async -> AuthError.Code? {
        do { try await work() } catch { return (error as? AuthError)?.code }
        return nil
    }

    @Test(
        "the person is read, renamed, and described, whether answers bring new client tokens or not",
        .complaint(.clerk, 22),
        arguments: DevServer.Clerk.Rotation.allCases)
    func person(_ rotation: DevServer.Clerk.Rotation) async throws {
        let signed = try await Signed { $0.rotation = rotation }
        let me = try await signed.clerk.me()
        #expect(me.id == "user_ada" && me.emails.map(\.value) == [Scene.ada] && me.emails[0].isVerified)
        #expect(me.emails[0].isPrimary && me.hasPassword && !me.hasTOTP && me.phones.count == 1)
        let renamed = try await signed.clerk.update(firstName: "Ada", username: "ada")
        #expect(renamed.firstName == "Ada" && renamed.username == "ada" && renamed.lastName == nil)
        #expect(try await signed.clerk.update(username: "").username == nil)
        _ = try await signed.clerk.mergeMetadata(["plan": ["seats": 3, "old": 1], "x": 1])
        let merged = try await signed.clerk.mergeMetadata(["plan": ["old": nil], "x": nil])
        #expect(merged.unsafeMetadata == ["plan": ["seats": 3]])
        _ = try await signed.auth.accessToken(for: .template("backend"))
        #expect(!"\(me)".contains("ada+clerk"))
    }

    @Test("a password is changed by who knows the old one, and the other sessions end if that is asked for")
    func password() async throws {
        let signed = try await Signed()
        _ = try await signed.scene.begin(Scene.ofAda)
        #expect(signed.scene.server.clerkSessionCount == 2)
        let wrong = await code { try await signed.clerk.changePassword(from: Secret("x"), to: Secret("long enough")) }
        #expect(wrong == .refused(.wrongInput))
        let short = await code { try await signed.clerk.changePassword(from: Secret("ada-password"), to: Secret("x")) }
        #expect(short == .refused(.passwordNotAccepted))
        try await signed.clerk.changePassword(from: Secret("ada-password"), to: Secret("long enough"), endsOthers: true)
        #expect(signed.scene.server.clerkSessionCount == 1)
        _ = try await signed.auth.accessToken(for: .template("backend"))
    }

    @Test("an authenticator app is proven before it counts; then it is asked for, and backup codes too")
    func totp() async throws {
        let signed = try await Signed()
        #expect(await code { _ = try await signed.clerk.makeBackupCodes() } == .refused(.other))
        let enrolment = try await signed.clerk.enrollTOTP()
        #expect(enrolment.address.hasPrefix("otpauth://totp/") && enrolment.address.contains(enrolment.key))
        #expect(await code { try await signed.clerk.verifyTOTP(Secret("000000")) } == .refused(.wrongInput))
        #expect(try await signed.clerk.me().hasTOTP == false)
        let shown = DevServer.TOTP.code(secret: enrolment.key, at: Date().timeIntervalSince1970) ?? ""
        try await signed.clerk.verifyTOTP(Secret(shown))
        let codes = try await signed.clerk.makeBackupCodes()
        #expect(codes.count == 10)
        let turn = try await signed.scene.begin(Scene.ofAda)
        let backup = try await signed.scene.answer(.choice("backup_code"), turn)
        #expect(try await signed.scene.answer(.code(codes[0]), backup).grant().sessions.count == 1)
        try await signed.clerk.removeTOTP()
        #expect(try await signed.clerk.me().hasSecondFactor == false)
    }

    @Test("an address is added, proven and removed")
    func email() async throws {
        let signed = try await Signed()
        let id = try await signed.clerk.addEmail("second+clerk_test@example.test")
        #expect(try await signed.clerk.me().emails.last?.isVerified == false)
        #expect(await code { try await signed.clerk.verifyEmail(id, code: Secret("000000")) } == .refused(.wrongInput))
        try await signed.clerk.verifyEmail(id, code: Secret("424242"))
        #expect(try await signed.clerk.me().emails.last?.isVerified == true)
        try await signed.clerk.removeEmail(id)
        #expect(try await signed.clerk.me().emails.count == 1)
        #expect(await code { _ = try await signed.clerk.addEmail(Scene.grace) } == .refused(.other))
    }

    @Test("the person's sessions are listed, and another one ended")
    func sessions() async throws {
        let signed = try await Signed()
        let other = try await signed.scene.begin(Scene.ofAda).grant().sessions[0].id.value
        let sessions = try await signed.clerk.sessions()
        #expect(sessions.count == 2 && sessions.filter(\.isCurrent).count == 1 && sessions[0].device == "Latchkey")
        try await signed.clerk.endSession(other)
        #expect(try await signed.clerk.sessions().map(\.isCurrent) == [true])
        #expect(await code { try await signed.clerk.endSession(other) } == .refused(.expired))
    }

    @Test("organizations come page by page, and the one that is chosen is in the next token")
    func organizations() async throws {
        let signed = try await Signed {
            $0.pageLimit = 2
            $0.users[0].organizations = ["org_a": "org:admin", "org_b": "org:member", "org_c": "org:member"]
        }
        let found = try await signed.clerk.organizations()
        #expect(found.map(\.id) == ["org_a", "org_b", "org_c"] && found[0].role == "org:admin")
        #expect(found[0].name == "The a" && found[0].permissions.contains("org:dashboard:read"))
        try await signed.clerk.selectOrganization("org_b")
        let claims = try ClerkClaims(unverified: try await signed.auth.accessToken().value)
        #expect(claims.organization?.id == "org_b" && claims.has(role: "member"))
        #expect(await code { try await signed.clerk.selectOrganization("org_none") } == .refused(.other))
        try await signed.clerk.selectOrganization(nil)
        #expect(try ClerkClaims(unverified: try await signed.auth.accessToken().value).organization == nil)
    }

    @Test(
        "an id that is none is not sent",
        arguments: ["", "../me", "a/b", "a?b", "ü", String(repeating: "a", count: 200)])
    func ids(_ id: String) async throws {
        let signed = try await Signed()
        let before = signed.scene.transport.requests.count
        #expect(await code { try await signed.clerk.endSession(id) } == .configuration(.invalid))
        #expect(await code { try await signed.clerk.removeEmail(id) } == .configuration(.invalid))
        #expect(signed.scene.transport.requests.count == before)
    }

    @Test("a session that was ended elsewhere is over here once the service has said so to a refresh, too")
    func over() async throws {
        let signed = try await Signed()
        let own = try await signed.clerk.sessions()[0].id
        _ = try await signed.scene.begin(Scene.ofAda)
        try await signed.clerk.endSession(own)
        #expect(await code { _ = try await signed.clerk.me() } == .signInRequired(.refused))
        #expect(await code { _ = try await signed.auth.accessToken() } == .signInRequired(.refused))
    }

    @Test("a 401 that was a mistake costs a refresh, and no session", .complaint(.clerk, 9))
    func mistaken() async throws {
        let signed = try await Signed()
        let asked = NotedTransport(signed.scene.transport)
        let body = #"{"errors":[{"code":"signed_out"}]}"#
        signed.scene.transport.answer { request in
            asked.note(request)
            return request.url.contains("/me?") && asked.count("/me?") == 1
                ? TransportResponse(status: 401, body: Array(body.utf8)) : nil
        }
        #expect(try await signed.clerk.me().id == "user_ada")
    }

    @Test("what needs a proof first says so")
    func reverification() async throws {
        let signed = try await Signed()
        let body = #"{"errors":[{"code":"session_reverification_required"}]}"#
        signed.scene.transport.answer { request in
            request.url.contains("/me?") ? TransportResponse(status: 403, body: Array(body.utf8)) : nil
        }
        #expect(await code { _ = try await signed.clerk.me() } == .refused(.factorRequired))
        #expect(try await signed.auth.accounts().count == 1)
    }

    @Test("a number is added, proven and taken away")
    func phone() async throws {
        let signed = try await Signed()
        let id = try await signed.clerk.addPhone("+12015550111")
        #expect(try await signed.clerk.me().phones.first { $0.id == id }?.isVerified == false)
        let wrong = await code { try await signed.clerk.verifyPhone(id, code: Secret("000000")) }
        #expect(wrong == .refused(.wrongInput))
        try await signed.clerk.verifyPhone(id, code: Secret("424242"))
        #expect(try await signed.clerk.me().phones.first { $0.id == id }?.isVerified == true)
        try await signed.clerk.removePhone(id)
        #expect(try await signed.clerk.me().phones.count == 1)
        #expect(await code { _ = try await signed.clerk.addPhone("nobody") } == .refused(.wrongInput))
        #expect(await code { try await signed.clerk.removePhone("../me") } == .configuration(.invalid))
    }

    @Test("a picture goes up in one part, and is taken away; what is none is refused before it is sent")
    func image() async throws {
        let signed = try await Signed()
        try await signed.clerk.setImage([UInt8](0...255), type: "image/png")
        #expect(try await signed.clerk.me().json["image_url"]?.string?.hasSuffix("/256") == true)
        try await signed.clerk.removeImage()
        #expect(try await signed.clerk.me().json["has_image"] == false)
        let before = signed.scene.transport.requests.count
        #expect(await code { try await signed.clerk.setImage([1], type: "text/html") } == .configuration(.invalid))
        let large = [UInt8](repeating: 0, count: (10 << 20) + 1)
        #expect(await code { try await signed.clerk.setImage(large, type: "image/png") } == .configuration(.invalid))
        #expect(signed.scene.transport.requests.count == before)
    }

    @Test("an account elsewhere is connected by a page that can be visited, and taken away")
    func connected() async throws {
        let signed = try await Signed()
        let back = "http://127.0.0.1:4711/back"
        let page = try await signed.clerk.connectAccount("github", redirect: back)
        #expect(page.hasPrefix(signed.scene.server.clerkURL.replacing("/clerk", with: "")))
        let id = try #require(try await signed.clerk.me().json["external_accounts"]?.array?.first?["id"]?.string)
        try await signed.clerk.removeExternalAccount(id)
        #expect(try await signed.clerk.me().json["external_accounts"]?.array?.isEmpty == true)
        #expect(await code { _ = try await signed.clerk.connectAccount("myspace", redirect: back) } != nil)
        let elsewhere = await code {
            _ = try await signed.clerk.connectAccount("github", redirect: "https://evil.example/")
        }
        #expect(elsewhere != nil)
        let body = #"{"response":{"verification":{"external_verification_redirect_url":"javascript:alert(1)"}}}"#
        signed.scene.transport.answer { request in
            request.url.contains("external_accounts") ? TransportResponse(status: 200, body: Array(body.utf8)) : nil
        }
        let script = await code { _ = try await signed.clerk.connectAccount("github", redirect: back) }
        #expect(script == .untrusted(.malformed))
    }

    @Test("an invitation is shown until it is accepted, and brings the person into the organization")
    func invited() async throws {
        let signed = try await Signed { $0.users[0].invitations = ["orginv_1": "org_looms"] }
        let open = try await signed.clerk.invitations()
        #expect(open.map(\.organization) == ["org_looms"] && open[0].name == "The looms")
        try await signed.clerk.acceptInvitation(open[0].id)
        #expect(try await signed.clerk.invitations().isEmpty)
        #expect(try await signed.clerk.organizations().contains { $0.id == "org_looms" && $0.role == "org:member" })
        _ = try await signed.auth.accessToken(for: .organization("org_looms"))
        #expect(await code { try await signed.clerk.acceptInvitation(open[0].id) } == .refused(.expired))
        #expect(await code { try await signed.clerk.acceptInvitation("../x") } == .configuration(.invalid))
    }

    @Test("a session that is pending says what is left to do, and is active when it is done")
    func tasks() async throws {
        let signed = try await Signed()
        // The instance wants it since.
        signed.scene.server.configureClerk { $0.mustChooseOrganization = true }
        #expect(try await signed.clerk.tasks() == ["choose-organization"])
        // Pending is not over, whatever a refresh says meanwhile.
        _ = try? await signed.auth.refresh()
        #expect(try await signed.auth.accounts().count == 1)
        try await signed.clerk.selectOrganization("org_engines")
        _ = try await signed.auth.accessToken()
        #expect(try await signed.clerk.tasks() == [])
        try await signed.clerk.touch()
        #expect(try await signed.auth.accounts().count == 1)
    }

    @Test("who deletes the account is gone there and here")
    func deleted() async throws {
        let signed = try await Signed()
        try await signed.clerk.deleteAccount()
        #expect(try await signed.auth.accounts().isEmpty && signed.scene.server.clerkSessionCount == 0)
        #expect(await code { _ = try await signed.clerk.me() } == .signInRequired(.signedOut))
    }

    @Test(
        "the environment is there for who wants it, asked for once in ten minutes, and kept where that fails",
        .complaint(.clerk, 3))
    func environment() async throws {
        let clock = ManualClock()
        let signed = try await Signed(clock: clock)
        let transport = signed.scene.transport
        #expect(transport.count("/environment") == 0)
        for _ in 0..<3 {
            #expect(try await signed.clerk.environment().applicationName == "Latchkey")
        }
        #expect(transport.count("/environment") == 1)
        clock.advance(by: .seconds(601))
        transport.answer { $0.url.contains("/environment") ? TransportResponse(status: 502) : nil }
        #expect(try await signed.clerk.environment().applicationName == "Latchkey")
        #expect(transport.count("/environment") > 1)
        clock.advance(by: .seconds(86_400))
        #expect(await code { _ = try await signed.clerk.environment() } == .serviceTrouble)
    }

    @Test("what the app says of the device goes with each request, and what no header field holds is refused")
    func device() async throws {
        var scene = try Scene()
        #expect(scene.transport.requests.isEmpty)
        _ = try await scene.credential()
        #expect(scene.transport.requests.allSatisfy { $0.fields["x-device-type"] == nil })
        scene.provider.device = ClerkDevice(
            kind: "desktop", model: "X1", systemVersion: "12", appVersion: "4.2.0", appID: "com.example.notes",
            installation: "5f0c")
        try scene.provider.checkConfiguration()
        _ = try await scene.credential()
        let sent = try #require(scene.transport.requests.last)
        let names = ["type", "model"].map { "x-device-\($0)" } + ["x-os-version", "x-app-version", "x-bundle-id"]
        #expect(names.map { sent.fields[$0] } == ["desktop", "X1", "12", "4.2.0", "com.example.notes"])
        #expect(sent.fields["x-native-device-id"] == "5f0c")
        for text in ["", "a\r\nHost: x", "Ünal", String(repeating: "a", count: 201)] {
            scene.provider.device = ClerkDevice(model: text)
            #expect(throws: AuthError.self) { try scene.provider.checkConfiguration() }
        }
    }

    @Test("a password can be taken away by who knows it")
    func passwordTaken() async throws {
        let signed = try await Signed()
        #expect(await code { try await signed.clerk.removePassword(Secret("x")) } == .refused(.wrongInput))
        try await signed.clerk.removePassword(Secret("ada-password"))
        #expect(try await signed.clerk.me().hasPassword == false)
    }

    @Test(
        "the person's other sessions end, or all of them, and nobody else's",
        arguments: [SignOutScope.others, .everywhere])
    func others(_ scope: SignOutScope) async throws {
        let signed = try await Signed { $0.rotation = .always }
        for _ in 0..<2 { _ = try await signed.scene.begin(Scene.ofAda) }
        #expect(signed.scene.server.clerkSessionCount == 3)
        #expect(try await signed.auth.signOut(scope: scope) == .revoked)
        #expect(signed.scene.server.clerkSessionCount == (scope == .others ? 1 : 0))
        #expect(try await signed.auth.accounts().count == (scope == .others ? 1 : 0))
        if scope == .others { try await signed.auth.refresh() }
    }
}
