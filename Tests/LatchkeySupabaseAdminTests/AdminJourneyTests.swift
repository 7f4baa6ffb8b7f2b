import FoundationEssentials
import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeySupabase
import LatchkeySupabaseAdmin
import LatchkeyTesting
import Testing

/// A server of GoTrue's dialect on loopback, its administration and clients of it, over real sockets.
private final class Town: Sendable {
    let server: DevServer
    let transport = CurlTransport()
    static let password = Secret("correct horse 42 staple")

    init(_ change: (inout DevServer.Supabase) -> Void = { _ in }) throws {
        var configuration = DevServer.Configuration(port: 0, autoApprove: true)
        configuration.supabase.users = []
        configuration.supabase.resendGap = 0
        change(&configuration.supabase)
        server = try DevServer(configuration)
    }

    func admin(_ key: String = DevServer.Supabase().secretKey) throws -> SupabaseAdmin {
        try SupabaseAdmin(projectURL: server.supabaseURL, secretKey: Secret(key), transport: transport)
    }

    func client() throws -> AuthClient {
        try AuthClient.Builder()
            .provider(
                .supabase(
                    projectURL: server.supabaseURL, publishableKey: "sb_publishable_development",
                    redirect: "latchkey-demo://cb")
            )
            .transport(transport).build()
    }

    func signIn(_ client: AuthClient, _ mail: String, password: Secret = Town.password) async throws {
        _ = try await client.signIn(
            with: "supabase", .password(identifier: mail, password),
            asking: ScriptedPresenter(answering: { _ in .declined }))
    }

    /// Ada's account, and a client in which she is signed in.
    func ada() async throws -> (SupabaseUser, AuthClient) {
        let user = try await admin().create(.confirmed("ada@town.test"))
        let client = try client()
        try await signIn(client, "ada@town.test")
        return (user, client)
    }

    func totp(_ secret: String) throws -> Secret {
        Secret(try #require(DevServer.TOTP.code(secret: secret, at: Date().timeIntervalSince1970)))
    }
}

extension SupabaseUserDetails {
    fileprivate static func confirmed(_ mail: String, _ password: Secret? = Town.password) -> SupabaseUserDetails {
        var details = SupabaseUserDetails(email: mail, password: password)
        details.confirmsEmail = true
        return details
    }
}

@Suite("Administration of a project at a server that speaks as GoTrue does, over real sockets")
struct AdminJourneyTests {
    @Test("from the first account to the last, by either key; clients are told of what was done to them")
    func wholeLife() async throws {
        let town = try Town()
        defer { town.server.stop() }
        let legacy = try #require(town.server.supabaseLegacyKey(role: "service_role"))
        for key in [DevServer.Supabase().secretKey, legacy] {
            let admin = try town.admin(key)
            var ids: Set<String> = []
            for number in 0..<7 {
                ids.insert(try await admin.create(.confirmed("user-\(number)@town.test")).id)
            }
            var read: [String] = []
            for try await user in admin.users(pageSize: 3) { read.append(user.id) }
            #expect(Set(read) == ids && read.count == 7)

            let id = try #require(read.first)
            let mail = try #require(try await admin.user(id).email)
            var change = SupabaseUserDetails(email: "new@town.test", metadata: ["nickname": "n"])
            change.appMetadata = ["plan": "paid"]
            let changed = try await admin.update(id, change)
            #expect(changed.email == "new@town.test" && changed.metadata["nickname"] == "n")
            #expect(changed.json["app_metadata"]?["plan"] == "paid" && mail != changed.email)

            let client = try town.client()
            try await town.signIn(client, "new@town.test")
            let handle = try client.supabase()
            let begun = try await handle.enrollTOTP(name: "phone")
            try await handle.verify(
                factor: begun.id, code: try town.totp(try #require(begun.secret).revealText()))
            #expect(try await admin.factors(of: id).map(\.isVerified) == [true])
            try await admin.delete(factor: begun.id, of: id)
            #expect(try await admin.factors(of: id).isEmpty)
            try await client.refresh()
            #expect(try await client.supabase().claims()["aal"] == "aal1")

            // The session is ended at the service, and the client sees it at its next call.
            try await admin.signOut(try await client.accessToken().value)
            var error = await trouble { () throws(AuthError) in try await client.supabase().validate() }
            #expect(error?.code == .signInRequired(.refused) && error?.supabase == .sessionNotFound)
            #expect(town.server.supabaseSessions(of: "new@town.test").isEmpty)

            try await town.signIn(client, "new@town.test")
            try await admin.delete(id)
            error = await trouble { () throws(AuthError) in try await client.supabase().validate() }
            #expect(error?.code == .signInRequired(.refused) && error?.supabase == .userNotFound)
            let gone = await trouble { () throws(AuthError) in _ = try await admin.user(id) }
            #expect(gone?.supabase == .userNotFound && gone?.code == .refused(.other))
            for id in ids where id != read[0] { try await admin.delete(id) }
            var reader = admin.users().makeAsyncIterator()
            #expect(try await reader.next() == nil)
        }
    }

    @Test("who is deleted softly is still there, with a hash for an address, and can never sign in again")
    func softly() async throws {
        let town = try Town()
        defer { town.server.stop() }
        let admin = try town.admin()
        let (user, client) = try await town.ada()
        for _ in 1...2 { try await admin.delete(user.id, softly: true) }
        let ghost = try await admin.user(user.id)
        #expect(ghost.email?.contains("@") == false && ghost.json["deleted_at"]?.string != nil)
        let ended = await trouble { () throws(AuthError) in try await client.refresh() }
        #expect(ended?.code == .signInRequired(.refused))
        await #expect(throws: AuthError.self) { try await town.signIn(client, "ada@town.test") }
        try await admin.delete(user.id)
        let gone = await trouble { () throws(AuthError) in try await admin.delete(user.id) }
        #expect(gone?.supabase == .userNotFound)
    }

    @Test("a ban keeps a client from its next token, and its end lets the same session go on")
    func ban() async throws {
        let town = try Town()
        defer { town.server.stop() }
        let admin = try town.admin()
        let (user, client) = try await town.ada()
        var details = SupabaseUserDetails()
        details.ban = .lasting(.seconds(5_400))
        #expect(try await admin.update(user.id, details).json["banned_until"]?.string != nil)
        await #expect(throws: AuthError.self) { try await town.signIn(try town.client(), "ada@town.test") }
        #expect(town.server.supabaseSessions(of: "ada@town.test").count == 1)
        details.ban = .lifted
        #expect(try await admin.update(user.id, details).json["banned_until"]?.string == nil)
        try await client.refresh()
    }

    @Test("a new password ends every session of its user, and the old one is good no more")
    func password() async throws {
        let town = try Town()
        defer { town.server.stop() }
        let admin = try town.admin()
        let user = try await admin.create(.confirmed("ada@town.test"))
        let clients = [try town.client(), try town.client()]
        for client in clients { try await town.signIn(client, "ada@town.test") }
        let weak = await trouble { () throws(AuthError) in
            _ = try await admin.update(user.id, SupabaseUserDetails(password: Secret("a")))
        }
        #expect(weak?.supabase == .weakPassword && town.server.supabaseSessions(of: "ada@town.test").count == 2)
        try await admin.update(user.id, SupabaseUserDetails(password: Secret("another horse 43")))
        for client in clients {
            let error = await trouble { () throws(AuthError) in try await client.refresh() }
            #expect(error?.code == .signInRequired(.refused))
        }
        await #expect(throws: AuthError.self) { try await town.signIn(clients[0], "ada@town.test") }
        try await town.signIn(clients[0], "ada@town.test", password: Secret("another horse 43"))
    }

    @Test("a code that administration made signs somebody in where a code was asked for")
    func code() async throws {
        let town = try Town()
        defer { town.server.stop() }
        let admin = try town.admin()
        try await admin.create(.confirmed("ada@town.test", nil))
        let client = try town.client()
        let step = try await client.begin(
            .signIn(.code(identifier: "ada@town.test", over: .mail)), with: "supabase")
        guard case .asked(let challenge) = step else {
            Issue.record("nothing was asked")
            return
        }
        let mails = town.server.inbox().count
        let link = try await admin.link(.magicLink(email: "ada@town.test"), redirect: "latchkey-demo://cb")
        #expect(town.server.inbox().count == mails && link.type == "magiclink" && link.redirect == "latchkey-demo://cb")
        guard case .signedIn(let session) = try await client.answer(.code(link.code), to: challenge.id) else {
            Issue.record("the code signs nobody in")
            return
        }
        #expect(session.supabaseUser?.id == link.user.id)
    }

    @Test("each kind of link is made for whom it can be, and for nobody else; its page leads on")
    func links() async throws {
        let town = try Town()
        defer { town.server.stop() }
        let admin = try town.admin()
        let ada = try await admin.create(.confirmed("ada@town.test"))
        let known: [SupabaseLinkRequest] = [
            .magicLink(email: "ada@town.test"), .recovery(email: "ada@town.test"),
            .emailChange(from: "ada@town.test", to: "eve@town.test", confirmedBy: .current),
            .emailChange(from: "ada@town.test", to: "eve@town.test", confirmedBy: .new),
        ]
        // Both halves of a change are made before one is used: making one voids what the other has confirmed.
        var links: [SupabaseLink] = []
        for request in known { links.append(try await admin.link(request, redirect: "latchkey-demo://cb")) }
        for link in links.dropFirst() {
            #expect(link.user.id == ada.id)
            let page = try await town.transport.send(
                TransportRequest("GET", link.url.revealText()), deadline: .seconds(5))
            #expect(page.status == 303 && page.fields["Location"]?.hasPrefix("latchkey-demo://cb") == true)
        }
        #expect(try await admin.user(ada.id).email == "eve@town.test")
        let new: [(SupabaseLinkRequest, String)] = [
            (.signUp(email: "b@town.test", password: Town.password), "signup"),
            (.invite(email: "c@town.test", metadata: ["n": 1]), "invite"), (.magicLink(email: "d@town.test"), "signup"),
        ]
        for (request, type) in new { #expect(try await admin.link(request).type == type) }
        // An address that is not allowed becomes the project's own site.
        let elsewhere = try await admin.link(.recovery(email: "eve@town.test"), redirect: "evil://cb")
        #expect(elsewhere.redirect == "https://app.example.test/welcome")
        let refused: [(SupabaseLinkRequest, SupabaseErrorCode)] = [
            (.recovery(email: "nobody@town.test"), .userNotFound),
            (.emailChange(from: "nobody@town.test", to: "x@town.test", confirmedBy: .new), .userNotFound),
            (.emailChange(from: "eve@town.test", to: "b@town.test", confirmedBy: .new), .emailExists),
            (.signUp(email: "eve@town.test", password: Town.password), .emailExists),
            (.invite(email: "eve@town.test"), .emailExists),
            (.signUp(email: "f@town.test", password: Secret("a")), .weakPassword),
            (.signUp(email: "f@town.test", password: Secret("")), .validationFailed),
            (.magicLink(email: "no address"), .validationFailed),
        ]
        for (request, code) in refused {
            let error = await trouble { () throws(AuthError) in _ = try await admin.link(request) }
            #expect(error?.supabase == code)
        }
        #expect(town.server.inbox().isEmpty)
    }

    @Test("an invitation is mailed, may be mailed again, and not to somebody who is there")
    func invitation() async throws {
        let town = try Town()
        defer { town.server.stop() }
        let admin = try town.admin()
        let guest = try await admin.invite("g@town.test", metadata: ["n": 1], redirect: "latchkey-demo://cb")
        #expect(guest.json["invited_at"]?.string != nil && guest.metadata["n"] == 1)
        #expect(try await admin.invite("g@town.test").id == guest.id)
        #expect(town.server.inbox(of: "g@town.test").map(\.type) == ["invite", "invite"])
        try await admin.create(.confirmed("ada@town.test"))
        let error = await trouble { () throws(AuthError) in _ = try await admin.invite("ada@town.test") }
        #expect(error?.supabase == .emailExists)
    }

    @Test("whose key it is not is told so, and nothing is done")
    func strangers() async throws {
        let town = try Town()
        defer { town.server.stop() }
        let other = try Town { $0.secret = "another secret of 32 characters, or so" }
        defer { other.server.stop() }
        let forged = try #require(other.server.supabaseLegacyKey(role: "service_role"))
        for key in ["sb_secret_of_another_project", forged] {
            let error = await trouble { () throws(AuthError) in
                do {
                    try await town.admin(key).create(.confirmed("eve@town.test"))
                } catch let error as AuthError {
                    throw error
                } catch {}
            }
            #expect(error?.code == .configuration(.clientRefused), "\(String(describing: error))")
        }
        var reader = try town.admin().users().makeAsyncIterator()
        #expect(try await reader.next() == nil)
    }

    @Test("a token that has ended signs nobody out")
    func endedToken() async throws {
        let town = try Town()
        defer { town.server.stop() }
        let admin = try town.admin()
        let (_, client) = try await town.ada()
        let token = try await client.accessToken().value
        for scope in [SignOutScope.others, .thisSession, .thisSession] { try await admin.signOut(token, scope: scope) }
        let over = await trouble { () throws(AuthError) in try await admin.signOut(token) }
        #expect(over?.supabase == .sessionNotFound)
        let bad = await trouble { () throws(AuthError) in try await admin.signOut(Secret("a.b.c")) }
        #expect(bad?.code == .refused(.expired) && bad?.supabase == .badJWT)
    }
}
