#if os(Linux)
    import Latchkey
    import LatchkeyCurl
    import LatchkeyDevServer
    import LatchkeyFileStore
    import LatchkeyJSON
    import LatchkeySystem
    import LatchkeyOAuth
    import LatchkeyTesting
    import Testing

    @Suite("Following another process over the files")
    struct FollowingTests {
        @Test("its sign-out, sign-in and refresh are seen, without asking")
        func follows() async throws {
            if let reason = WatchLimit.reached { try Test.cancel("\(reason)") }
            let signedIn = try await SignedIn()
            let status = try #require(try await signedIn.run("status", "--json").json)
            let directory = try #require(status["store"]?["path"]?.string)
            let account = AccountID(try #require(status["account"]?.string))
            var settings = EngineSettings()
            settings.refresh = .onDemand
            let auth = try AuthClient.Builder()
                .provider(.oauth(issuer: signedIn.server.issuer, clientID: "dev-native", named: "oauth"))
                .store(.file(unencryptedAt: directory)).transport(.curl()).settings(settings).build()
            #expect(try await auth.accounts().map(\.id) == [account])
            let heard = Heard(auth.events)
            let first = auth.currentToken()

            #expect(try await signedIn.run("refresh").status == 0)
            try await heard.expect(.refreshed(account, .standard))
            #expect(auth.currentToken() != nil && auth.currentToken() != first)

            #expect(try await signedIn.run("logout").status == 0)
            try await heard.expect(.signedOut(account, by: .elsewhere))
            #expect(auth.currentToken() == nil)

            #expect(try await SignedIn.login(signedIn.tool, signedIn.server).status == 0)
            try await heard.expect(.signedIn(account))
            #expect(auth.currentToken(of: account) != nil)
        }
    }

    /// What a client tells.
    private final class Heard: Sendable {
        private let events = Locked<[AuthEvent]>([])
        private let task: Task<Void, Never>

        init(_ stream: AsyncStream<AuthEvent>) {
            task = Task { [events] in
                for await event in stream { events.withLock { $0.append(event) } }
            }
        }

        deinit { task.cancel() }

        /// Waits for `event`. Nothing here asks the store again by itself, so that it comes from the files or never.
        func expect(_ event: AuthEvent) async throws {
            let found = try await Child.poll(within: 60) { self.events.withLock { $0.contains(event) } ? true : nil }
            #expect(found == true, "\(event) was not told")
        }
    }
#endif
