import FoundationEssentials
import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyFileStore
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeySupabase

/// A server of GoTrue's dialect on loopback, and clients of it over real sockets and files.
final class Town: Sendable {
    let server: DevServer
    let transport = CurlTransport()
    let folder: URL
    static let ada = "ada@journey.test"
    static let password = Secret("correct horse 42 staple")
    /// By how many seconds the server's clock was moved.
    let moved = Locked(0.0)

    init(_ change: (inout DevServer.Supabase) -> Void = { _ in }) throws {
        var configuration = DevServer.Configuration(port: 0, autoApprove: true)
        configuration.supabase.users = [.init(email: Self.ada, password: Self.password.revealText())]
        configuration.supabase.resendGap = 0
        change(&configuration.supabase)
        configuration.now = { [moved] in Date().timeIntervalSince1970 + moved.withLock { $0 } }
        server = try DevServer(configuration)
        folder = FileManager.default.temporaryDirectory.appending(path: "supabase-\(PluginContext.system.randomName())")
    }

    func stop() {
        server.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    var provider: SupabaseProvider {
        .supabase(
            projectURL: server.supabaseURL, publishableKey: "sb_publishable_development", redirect: "latchkey-demo://cb"
        )
    }

    /// A provider that knows that the project forgives nothing.
    var strict: SupabaseProvider {
        var provider = provider
        provider.reuseInterval = .zero
        return provider
    }

    func client(_ change: (inout SupabaseProvider) -> Void = { _ in }) throws -> AuthClient {
        var provider = provider
        change(&provider)
        return try AuthClient.Builder().provider(provider)
            .store(.file(unencryptedAt: folder.path(percentEncoded: false))).transport(transport).build()
    }

    func code(_ recipient: String = ada) throws -> Secret {
        Secret(try #require(server.inbox(of: recipient).last).code)
    }

    func link() throws -> String {
        let message = try #require(server.inbox(of: Self.ada).last)
        return try #require(message.link)
    }

    /// Where a browser that is given `address` ends up, outside of this server.
    func browse(_ address: String) async throws -> Secret {
        var address = address
        for _ in 0..<8 where address.hasPrefix("http://127.0.0.1") {
            let response = try await transport.send(TransportRequest("GET", address), deadline: .seconds(5))
            address = try #require(response.fields["Location"], "\(response.status) at \(address.prefix { $0 != "?" })")
        }
        return Secret(address)
    }

    /// Gives Ada an app as a factor, and returns its secret.
    func enroll(_ client: AuthClient) async throws -> String {
        let handle = try client.supabase()
        let begun = try await handle.enrollTOTP(name: "mine")
        let secret = try #require(begun.secret).revealText()
        try await handle.verify(factor: begun.id, code: try totp(secret))
        return secret
    }

    func totp(_ secret: String) throws -> Secret {
        Secret(
            try #require(DevServer.TOTP.code(secret: secret, at: Date().timeIntervalSince1970 + moved.withLock { $0 })))
    }

    func signIn(_ client: AuthClient, totp secret: String? = nil) async throws {
        let person = ScriptedPresenter(answering: { [self] _ in .code(try totp(secret ?? "")) })
        let method = SignInMethod.password(identifier: Self.ada, Self.password)
        _ = try await client.signIn(with: "supabase", method, asking: person)
    }
}

@Suite("Journeys at a server that speaks as GoTrue does, over real sockets and files")
struct JourneyTests {
    @Test("sign up, confirm by the mail's code, add an app, sign out, and sign in with both", .complaint(.supabase, 11))
    func wholeLife() async throws {
        let town = try Town()
        defer { town.stop() }
        let client = try town.client()
        let mail = "new@journey.test"
        let form = SignUpForm(identifier: mail, password: Town.password, fields: ["nickname": "n"])
        guard case .asked(let challenge) = try await client.begin(.signUp(form), with: "supabase") else {
            throw Missing()
        }
        let wrong = try await trouble { _ = try await client.answer(.code(Secret("abcdef")), to: challenge.id) }
        #expect(wrong.code == .refused(.wrongInput))
        guard case .asked = try await client.answer(.resend, to: challenge.id) else { throw Missing() }
        guard case .signedIn(let session) = try await client.answer(.code(town.code(mail)), to: challenge.id)
        else { throw Missing() }
        #expect(session.label == mail && session.supabaseUser?.metadata["nickname"] == "n")
        let secret = try await town.enroll(client)
        #expect(try await client.supabase().factors().map(\.isVerified) == [true])
        #expect(try await client.supabase().claims()["aal"] == "aal2")
        let next = try town.client()
        #expect(try await next.accounts().map(\.label) == [mail])
        try await next.refresh()
        #expect(try await client.signOut() == .revoked)
        #expect(town.server.supabaseSessions(of: mail).isEmpty)

        let person = ScriptedPresenter(answering: { _ in .code(try town.totp(secret)) })
        let method = SignInMethod.password(identifier: mail, Town.password)
        _ = try await client.signIn(with: "supabase", method, asking: person)
        #expect(person.challenges.map(\.ask) == [.totp])
        #expect(town.server.supabaseSessions(of: mail).map(\.level) == ["aal2"])
        try await client.refresh()
        try await client.supabase().unenroll(try await client.supabase().factors()[0].id)
        #expect(try await client.supabase().claims()["aal"] == "aal1")
    }

    @Test("whoever declines the factor leaves no session behind at the service")
    func declined() async throws {
        let town = try Town()
        defer { town.stop() }
        let client = try town.client()
        try await town.signIn(client)
        _ = try await town.enroll(client)
        try await client.signOut()
        let method = SignInMethod.password(identifier: Town.ada, Town.password)
        let error = try await trouble {
            _ = try await client.signIn(with: "supabase", method, asking: ScriptedPresenter(.answer(.declined)))
        }
        #expect(error.code == .declined && town.server.supabaseSessions(of: Town.ada).isEmpty)
    }

    @Test(
        "a factor is proven beside refreshes, and the session lives on every time", .complaint(.supabase, 2),
        arguments: [DevServer.Supabase.TokenGeneration.v1, .v2])
    func proofBesideRefreshes(generation: DevServer.Supabase.TokenGeneration) async throws {
        let town = try Town {
            $0.refreshTokens = generation
            $0.reuseInterval = 0
        }
        defer { town.stop() }
        let client = try town.client()
        try await town.signIn(client)
        let secret = try await town.enroll(client)
        let factors = try await client.supabase().factors()
        let factor = try #require(factors.first).id
        let others = [try town.client(), try town.client()]
        for round in 0..<12 {
            let code = try town.totp(secret)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await client.supabase().verify(factor: factor, code: code) }
                for other in others { group.addTask { try await other.refresh() } }
                group.addTask { try await client.supabase().validate() }
                try await group.waitForAll()
            }
            let token = try await others[round % 2].refresh()
            #expect(!token.value.isEmpty)
        }
        #expect(town.server.supabaseSessions(of: Town.ada).count == 1)
        #expect(town.server.supabaseRefreshes().allSatisfy { $0.outcome == "rotated" })
    }

    @Test(
        "a lost answer of a refresh costs nothing, however late; only where the service changed its kind of token, everything",
        .complaint(.supabase, 3)
    )
    func lostAnswers() async throws {
        let town = try Town {
            $0.refreshTokens = .v1
            $0.reuseInterval = 0
        }
        defer { town.stop() }
        let lossy = Lossy(inner: town.transport)
        let clock = HurriedClock()
        var context = PluginContext.system
        context.clock = clock
        let client = try AuthClient.Builder().provider(town.strict).store(MemoryStore()).transport(lossy)
            .context(context).build()
        try await town.signIn(client)
        for generation in [DevServer.Supabase.TokenGeneration.v1, .v2] {
            // The upgrade itself arrives.
            town.server.configure { $0.supabase.refreshTokens = generation }
            try await client.refresh()
            for _ in 0..<2 {
                lossy.losesNext.withLock { $0 = true }
                #expect(try await trouble { try await client.refresh() }.code == .offline(.unreachable))
                try await client.refresh()
                // So long the next one would wait, because the lost request may still be under way.
                clock.skip(EngineSettings().requestDeadline)
            }
        }
        #expect(town.server.supabaseRefreshes().allSatisfy { ["rotated", "reused"].contains($0.outcome) })

        town.server.configure { $0.supabase.refreshTokens = .v1 }
        let old = try AuthClient.Builder().provider(town.strict).store(MemoryStore()).transport(lossy).build()
        try await town.signIn(old)
        town.server.configure { $0.supabase.refreshTokens = .v2 }
        lossy.losesNext.withLock { $0 = true }
        #expect(try await trouble { try await old.refresh() }.code == .offline(.unreachable))
        let error = try await trouble { try await old.refresh() }
        #expect(error.code == .signInRequired(.interrupted) && error.supabase == .refreshTokenAlreadyUsed)
    }

    @Test(
        "a link that one process asked for signs the next one in; it is good once, and not on another device",
        .complaint(.supabase, 15))
    func magicLink() async throws {
        let town = try Town()
        defer { town.stop() }
        let step = try await town.client().begin(.signIn(.link(identifier: Town.ada)), with: "supabase")
        guard case .asked(let challenge) = step else { throw Missing() }
        #expect(challenge.ask == .openedLink(sentTo: Town.ada))
        let link = try town.link()
        let address = try await town.browse(link)
        #expect(address.revealText().hasPrefix("latchkey-demo://cb?code="))
        let elsewhere = try AuthClient.Builder().provider(town.provider).store(MemoryStore())
            .transport(town.transport).build()
        #expect(try await trouble { _ = try await elsewhere.supabase().open(address) }.supabase == .linkOfAnotherDevice)
        guard case .signedIn(let session) = try await town.client().supabase().open(address) else { throw Missing() }
        #expect(session.label == Town.ada)
        let clicked = try await town.browse(link)
        #expect(try await trouble { _ = try await elsewhere.supabase().open(clicked) }.code == .refused(.expired))
    }

    @Test("a lost password: link, new password, and the other sessions are over", .complaint(.supabase, 14))
    func recovery() async throws {
        let town = try Town()
        defer { town.stop() }
        let phone = try AuthClient.Builder().provider(town.provider).store(MemoryStore())
            .transport(town.transport).build()
        try await town.signIn(phone)
        let client = try town.client()
        _ = try await client.begin(.recover(identifier: Town.ada), with: "supabase")
        let link = try town.link()
        guard case .asked(let challenge) = try await client.supabase().open(town.browse(link)) else { throw Missing() }
        #expect(challenge.ask == .newPassword(rules: []))
        guard case .asked(let again) = try await client.answer(.password(Secret("x")), to: challenge.id) else {
            throw Missing()
        }
        #expect(again.ask == .newPassword(rules: ["length"]))
        guard case .signedIn = try await client.answer(.password(Secret("another horse")), to: again.id) else {
            throw Missing()
        }
        try await client.refresh()
        #expect(try await trouble { try await phone.supabase().validate() }.code == .signInRequired(.refused))
        #expect(try await trouble { _ = try await phone.accessToken() }.code == .signInRequired(.refused))
        let old = try await trouble { try await town.signIn(try town.client()) }
        #expect(old.supabase == .invalidCredentials)
    }

    @Test("a magic link asked for, then a recovery: the first mail's link signs in, and the other one goes on waiting")
    func severalMails() async throws {
        let town = try Town()
        defer { town.stop() }
        let mail = "grace@journey.test"
        town.server.add(.init(email: mail, password: Town.password.revealText()))
        _ = try await town.client().begin(.signIn(.link(identifier: Town.ada)), with: "supabase")
        let first = try town.link()
        _ = try await town.client().begin(.recover(identifier: mail), with: "supabase")
        let client = try town.client()
        _ = try await client.begin(.signIn(.browser(connection: "github")), with: "supabase")
        guard case .signedIn(let session) = try await client.supabase().open(town.browse(first)) else {
            throw Missing()
        }
        #expect(session.label == Town.ada)
        #expect(try await client.pendingChallenges().count == 2)
        let second = try #require(town.server.inbox(of: mail).last?.link)
        guard case .asked(let password) = try await client.supabase().open(town.browse(second)) else { throw Missing() }
        #expect(password.ask == .newPassword(rules: []))
    }

    @Test("a changed address: both links are opened in the app, and the session goes on under the new address")
    func changedAddress() async throws {
        let town = try Town()
        defer { town.stop() }
        let client = try town.client()
        try await town.signIn(client)
        let mail = "new@journey.test"
        var update = SupabaseUserUpdate()
        update.email = mail
        try await client.supabase().update(update)
        let links = try [Town.ada, mail].map { try #require(town.server.inbox(of: $0).last?.link) }
        let address = try await town.browse(links[0])
        #expect(address.revealText().hasPrefix("latchkey-demo://cb#message="))
        guard case .halfConfirmed = try await client.supabase().open(address) else { throw Missing() }
        #expect(try await client.supabase().user().newEmail == mail)
        // Another process of the app is opened with the second.
        let next = try town.client()
        guard case .addressChanged(let session) = try await next.supabase().open(town.browse(links[1])) else {
            throw Missing()
        }
        #expect(session.label == mail && session.supabaseUser?.email == mail)
        #expect(town.server.supabaseSessions(of: mail).count == 1)
        let later = try town.client()
        try await later.refresh()
        #expect(try await later.supabase().user().email == mail)
        #expect(try await later.accounts().map(\.label) == [mail])
    }

    @Test("an invitation signs in where the app expects one, and ends at the service elsewhere")
    func invitation() async throws {
        let town = try Town()
        defer { town.stop() }
        for (mail, isExpected) in [("guest@journey.test", true), ("stranger@journey.test", false)] {
            let secret = "sb_secret_development"
            let body: JSON = ["email": .string(mail)]
            let request = TransportRequest(
                "POST", town.server.supabaseURL + "/auth/v1/invite?redirect_to=latchkey-demo%3A%2F%2Fcb",
                fields: ["apikey": secret, "Authorization": "Bearer \(secret)", "Content-Type": "application/json"],
                body: body.serialized())
            #expect(try await town.transport.send(request, deadline: .seconds(5)).status == 200)
            let address = try await town.browse(#require(town.server.inbox(of: mail).last?.link))
            let client = try AuthClient.Builder().provider(town.provider).store(MemoryStore())
                .transport(town.transport).build()
            guard isExpected else {
                let error = try await trouble { _ = try await client.supabase().open(address) }
                #expect(error.supabase == .sessionNotAskedFor && error.message.contains("ended at the service"))
                #expect(town.server.supabaseSessions(of: mail).isEmpty)
                continue
            }
            guard case .signedIn(let session) = try await client.supabase().open(address, expectingInvite: true) else {
                throw Missing()
            }
            #expect(session.label == mail && town.server.supabaseSessions(of: mail).count == 1)
            var update = SupabaseUserUpdate()
            update.password = Secret("a horse of one's own")
            try await client.supabase().update(update)
        }
    }

    @Test("a browser: an identity provider signs somebody in, and another one is linked")
    func browser() async throws {
        let town = try Town()
        defer { town.stop() }
        let client = try town.client()
        let browser = ScriptedBrowser(redirect: "http://127.0.0.1:51234/cb") { url in
            try await town.browse(url, until: "http://127.0.0.1:51234").revealText()
        }
        _ = try await client.signIn(with: "supabase", .browser(connection: "github"), asking: browser)
        #expect(try await client.supabase().identities().map(\.provider).contains("github"))
        #expect(try await client.supabase().providerTokens().access != nil)
        try await client.refresh()
        #expect(try await client.supabase().providerTokens().access != nil)
        guard case .asked(let visit) = try await client.supabase().link(.browser(connection: "google")),
            case .visit(let url, _) = visit.ask
        else { throw Missing() }
        guard case .signedIn = try await client.answer(.redirected(town.browse(url)), to: visit.id) else {
            throw Missing()
        }
        #expect(Set(try await client.supabase().identities().map(\.provider)).isSuperset(of: ["github", "google"]))
    }

    @Test("nobody in particular becomes somebody, and stays the same account")
    func anonymous() async throws {
        let town = try Town()
        defer { town.stop() }
        let client = try town.client()
        let session = try await client.signIn(with: "supabase", .anonymous)
        let guest = try #require(session.supabaseUser)
        #expect(guest.isAnonymous && session.label == "guest \(guest.id.prefix(8))")
        var update = SupabaseUserUpdate()
        update.email = "somebody@journey.test"
        #expect(try await client.supabase().update(update).newEmail == "somebody@journey.test")
        let code = try town.code("somebody@journey.test")
        #expect(try await client.supabase().confirm("somebody@journey.test", code: code))
        try await client.refresh()
        let user = try await client.supabase().user()
        #expect(!user.isAnonymous && user.email == "somebody@journey.test")
        let accounts = try await client.accounts()
        #expect(accounts.map(\.id) == [session.account] && accounts.map(\.label) == ["somebody@journey.test"])
    }

    @Test("a text message, an ID token, and sessions that end each other", .complaint(.supabase, 13))
    func others() async throws {
        let town = try Town()
        defer { town.stop() }
        let client = try town.client()
        let number = "+15550100001"
        let step = try await client.begin(.signIn(.code(identifier: number, over: .sms)), with: "supabase")
        guard case .asked(let challenge) = step else { throw Missing() }
        guard case .signedIn = try await client.answer(.code(town.code("15550100001")), to: challenge.id) else {
            throw Missing()
        }
        #expect(try await client.accounts().first?.label == number)
        let token = try #require(
            town.server.idToken(["sub": "42", "email": "id@journey.test", "email_verified": true]))
        let issuer = SignInMethod.idToken(Secret(token), issuer: "keycloak", nonce: nil)
        _ = try await client.signIn(with: "supabase", issuer)
        #expect(try await client.accounts().count == 2)
        let elsewhere = try AuthClient.Builder().provider(town.provider).store(MemoryStore())
            .transport(town.transport).build()
        let again = try #require(
            town.server.idToken(["sub": "42", "email": "id@journey.test", "email_verified": true]))
        _ = try await elsewhere.signIn(
            with: "supabase", .idToken(Secret(again), issuer: "keycloak", nonce: nil))
        try await client.supabase().signOutOthers()
        #expect(try await trouble { try await elsewhere.supabase().validate() }.code == .signInRequired(.refused))
        try await client.supabase().validate()
        #expect(try await client.signOut(scope: .everywhere) == .revoked)
    }

    @Test("a wrong key, a wrong address and a captcha say which")
    func configuration() async throws {
        let town = try Town()
        defer { town.stop() }
        let method = SignInMethod.password(identifier: Town.ada, Town.password)
        func failure(_ change: (inout SupabaseProvider) -> Void) async throws -> AuthError {
            let client = try town.client(change)
            return try await trouble { _ = try await client.signIn(with: "supabase", method) }
        }
        #expect(try await failure { $0.publishableKey = "sb_publishable_wrong" }.code == .configuration(.clientRefused))
        #expect(try await failure { $0.authURL += "/nowhere" }.foreign?.kind == .notFound)
        town.server.configure { $0.supabase.captchaToken = "good" }
        let client = try town.client()
        guard case .asked(let captcha) = try await client.begin(.signIn(method), with: "supabase") else {
            throw Missing()
        }
        #expect(captcha.ask == .captcha(siteKey: ""))
        guard case .asked(let next) = try await client.answer(.code(Secret("good")), to: captcha.id) else {
            throw Missing()
        }
        guard case .signedIn = try await client.answer(.password(Town.password), to: next.id) else { throw Missing() }
    }

    @Test("the provider's contract, over real sockets")
    func contract() async throws {
        let town = try Town()
        defer { town.stop() }
        let way = ProviderContract<SupabaseProvider>.Conversation(
            .signIn(.password(identifier: Town.ada, Town.password)))
        let mail = ProviderContract<SupabaseProvider>.Conversation(
            .signIn(.code(identifier: Town.ada, over: .mail))
        ) { _ in .code(try town.code()) }
        try await ProviderContract([way, mail]) {
            .init(
                town.provider,
                in: ProviderContext(world: .system, transport: town.transport, cache: KeepingCache()))
        }
        .run()
    }
}

extension Town {
    /// The same, up to an address that begins so.
    fileprivate func browse(_ address: String, until end: String) async throws -> Secret {
        var address = address
        for _ in 0..<8 where !address.hasPrefix(end) {
            let response = try await transport.send(TransportRequest("GET", address), deadline: .seconds(5))
            address = try #require(response.fields["Location"])
        }
        return Secret(address)
    }
}

/// The machine's clock, moved on where a test would only wait.
final class HurriedClock: AuthClock {
    private let real = SystemClock()
    private let skipped = Locked(Duration.zero)

    var boot: String { real.boot }

    func skip(_ duration: Duration) { skipped.withLock { $0 += duration } }

    func now() -> MonotonicInstant { real.now() + skipped.withLock { $0 } }

    func wall() -> Date { real.wall().addingTimeInterval(Double(skipped.withLock { $0 }.components.seconds)) }

    func sleep(until instant: MonotonicInstant) async throws {
        try await real.sleep(until: instant - skipped.withLock { $0 })
    }
}

/// A network that loses an answer when told to.
final class Lossy: HTTPTransport {
    let inner: CurlTransport
    let losesNext = Locked(false)

    init(inner: CurlTransport) { self.inner = inner }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let response = try await inner.send(request, deadline: deadline)
        let isLost = losesNext.withLock { loses in
            defer { loses = false }
            return loses
        }
        guard !isLost else { throw TransportError(.interrupted, wasSent: true) }
        return response
    }
}
