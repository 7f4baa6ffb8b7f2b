import Latchkey
import LatchkeyDevServer
import LatchkeyFileStore
import LatchkeyOAuth
import Proofs
import Testing

/// Signing out while the service's answer to a refresh is held back, again and again.
@Suite("Signing out during a held refresh") struct HeldSignOutTests {
    struct Count {
        var rounds = 0
        var tokens = 0
        var revoked = 0
    }

    @Test("a sign-out during a refresh of the same process: no token afterwards, and the late one is revoked", .law(5))
    func sameProcess() async throws {
        let (server, folder) = (try Service.start(), TemporaryFolder())
        defer { server.stop() }
        let scene = Bystander(server, "\(folder.path)/store")
        let count = try await play(100, scene) { auth in
            let refresh = try await held(server) { try await auth.refresh().value.revealText() }
            #expect(try await auth.signOut() == .revocationQueued)
            #expect(auth.currentToken() == nil)
            #expect(server.release() == 1)
            return await refresh.value
        }
        report(count, "same process")
    }

    @Test("a sign-out during another process's refresh: no token afterwards, and the late one is revoked", .law(5))
    func otherProcess() async throws {
        let counts = try await withThrowingTaskGroup(of: Count.self) { group in
            group.addTask { try await childRefreshes() }
            group.addTask { try await childSignsOut() }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        var count = Count()
        for part in counts {
            count.rounds += part.rounds
            count.tokens += part.tokens
            count.revoked += part.revoked
        }
        report(count, "another process")
    }

    /// The tool refreshes, this process signs out.
    private func childRefreshes() async throws -> Count {
        let signedIn = try await SignedIn()
        let (server, scene) = (signedIn.server, try scene(of: signedIn))
        defer { server.stop() }
        return try await play(50, scene) { auth in
            server.inject(DevServer.Fault(.hold, at: .token, grant: .refreshToken))
            let child = try signedIn.start(["token", "--min-validity", "1h"])
            try await arrive(server)
            #expect(try await auth.signOut() == .revocationQueued)
            #expect(server.release() == 1)
            let result = try await child.wait()
            #expect(result.status == 3 && result.errors.contains("Nobody is signed in"), "\(result.errors)")
            #expect(result.output.isEmpty)
            return result.status == 3 ? Self.signedOut : "exit \(result.status)"
        }
    }

    /// This process refreshes, the tool signs out.
    private func childSignsOut() async throws -> Count {
        let signedIn = try await SignedIn()
        let (server, scene) = (signedIn.server, try scene(of: signedIn))
        defer { server.stop() }
        return try await play(50, scene) { auth in
            let refresh = try await held(server) { try await auth.refresh().value.revealText() }
            let result = try await signedIn.run("logout")
            #expect(result.status == 0 && result.output.hasPrefix("Signed out"), "\(result.output) \(result.errors)")
            #expect(server.release() == 1)
            return await refresh.value
        }
    }

    /// So many rounds: a process signs in, `round` signs it out during a refresh and says how that refresh ended, and
    /// then no token may be left anywhere.
    private func play(
        _ rounds: Int, _ scene: Bystander, _ round: (AuthClient) async throws -> String
    ) async throws -> Count {
        let auth = try scene.process()
        var count = Count()
        for _ in 0..<rounds {
            try await scene.signIn(auth)
            let token = try await auth.accessToken().value.revealText()
            let ending = try await round(auth)
            try await tally(&count, scene, [auth, scene.process()], token, ending)
        }
        return count
    }

    private func scene(of signedIn: SignedIn) throws -> Bystander {
        let record = FilesBelow.list(signedIn.data).first { $0.contains("/credential-") && $0.hasSuffix(".record") }
        let parts = try #require(record).split(separator: "/").dropLast()
        return Bystander(signedIn.server, "/" + parts.joined(separator: "/"))
    }

    /// Starts a refresh whose answer is held; what it ends with.
    private func held(
        _ server: DevServer, _ refresh: @escaping @Sendable () async throws -> String
    ) async throws -> Task<String, Never> {
        server.inject(DevServer.Fault(.hold, at: .token, grant: .refreshToken))
        let task = Task { await outcome(refresh) }
        try await arrive(server)
        return task
    }

    private func arrive(_ server: DevServer) async throws {
        let isHeld = try await Child.poll(within: 30) { server.heldAnswers == 1 ? true : nil }
        try #require(isHeld == true, "The refresh did not come.")
    }

    private static let signedOut = "signInRequired.signedOut"

    /// Looks for a token anywhere, and for the late one's revocation in the service's log. `ending` is how the refresh
    /// ended whose answer was held.
    private func tally(
        _ count: inout Count, _ scene: Bystander, _ processes: [AuthClient], _ token: String, _ ending: String
    ) async throws {
        count.rounds += 1
        var wrong = ending == Self.signedOut ? [] : ["the refresh: \(ending)"]
        for (index, auth) in processes.enumerated() {
            let ending = await outcome { try await auth.accessToken() }
            if ending != Self.signedOut { wrong.append("process \(index): \(ending)") }
            if auth.currentToken() != nil { wrong.append("process \(index): a token in memory") }
        }
        var stored = try scene.stored()
        if stored.hasCredential { wrong.append("a stored credential") }
        // The login that the first sign-in replaced may still be on its way to the service; nobody waits for it.
        _ = try await Child.poll(within: 60) { () -> Bool? in
            guard let now = try? scene.stored() else { return nil }
            stored = now
            return now.pending == 0 ? true : nil
        }
        if await scene.accepts(token) { wrong.append("the service takes the token") }
        #expect(wrong.isEmpty && stored.pending == 0, "round \(count.rounds): \(wrong), \(stored)")
        count.tokens += wrong.count
        let log = scene.server.log()
        let late = try #require(log.last { $0.grant == "refresh_token" && $0.outcome == "ok" })
        let isRevoked = log.contains {
            $0.sequence > late.sequence && $0.endpoint == .revocation && $0.outcome == "ok"
                && $0.family == late.family && $0.generation == late.generation && $0.generation == 1
        }
        if isRevoked { count.revoked += 1 }
    }

    private func report(_ count: Count, _ place: String) {
        print(
            "sign-out: \(place): rounds=\(count.rounds) tokens_after=\(count.tokens) late_tokens_revoked=\(count.revoked)"
        )
        #expect(count.rounds == 100 && count.tokens == 0 && count.revoked == 100)
    }
}
