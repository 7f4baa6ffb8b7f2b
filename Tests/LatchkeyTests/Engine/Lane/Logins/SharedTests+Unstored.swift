import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

/// A sign-in that waits to be stored, and people who come in meanwhile on another credential that several share.
extension SharedTests {
    private var full: AuthError { AuthError(.store(.full), "full") }

    /// Which tokens the service was told to forget.
    private var revoked: [String?] { bench.service.revocations.map { $0.credential.refreshToken?.revealText() } }

    /// Ada's sign-in waits to be stored in the first process, and Bob has come in meanwhile with the second.
    private func waiting() async throws -> (AuthClient, AuthClient) {
        let (auth, other) = (try bench.process(), try bench.process(seed: 9))
        bench.store.script(replaces: .refused(full))
        #expect(await code { try await signIn("ada", auth) } == .store(.full))
        try await signIn("bob", other)
        return (auth, other)
    }

    /// Who is signed in for a process that begins now.
    private var people: Set<String> {
        get async throws { Set(try await bench.process(seed: 11).accounts().compactMap(\.label)) }
    }

    @Test("another person's sign-in leaves one that waits to be stored where it is, and ends nobody's session", .law(3))
    func besideWaiting() async throws {
        let auth = try bench.process()
        bench.store.script(replaces: .refused(full))
        #expect(await code { try await signIn("ada", auth) } == .store(.full))
        try await signIn("bob", auth)
        #expect(auth.currentToken(of: ada) != nil && auth.currentToken(of: bob) != nil)
        try await bench.run { try await bench.until { try await bench.store.keys(.credential).count == 2 } }
        #expect(try await people == ["ada", "bob"])
        #expect(revoked.isEmpty)
    }

    @Test("a second sign-in of the same person takes the place of the one that waits to be stored")
    func samePersonAgain() async throws {
        let auth = try bench.process()
        bench.store.script(replaces: .refused(full))
        #expect(await code { try await signIn("ada", auth) } == .store(.full))
        try await signIn("ada", auth)
        #expect(try await stored == ["ada"])
        #expect(revoked == ["refresh-1"])
    }

    @Test("a sign-in that waits while others come in on one credential is stored for its own account", .law(2))
    func movesAway() async throws {
        let (auth, other) = try await waiting()
        try await bench.run { try await bench.until { try await bench.store.keys(.credential).count == 2 } }
        #expect(auth.currentToken(of: ada)?.value.revealText() == "access-1")
        #expect(try await people == ["ada", "bob"])
        #expect(revoked.isEmpty)
        bench.clock.advance(by: .seconds(3_600))
        bench.service.script(refreshes: .minted, .minted)
        _ = try await auth.accessToken(of: ada)
        _ = try await other.accessToken(of: bob)
        #expect(Set(bench.service.sentSecrets) == ["refresh-1", "refresh-2"])
    }

    @Test(
        "a person who asks for a token while their sign-in waits gets one once it is stored, and stays signed in",
        .law(3),
        arguments: [true, false])
    func asksMeanwhile(isRefused: Bool) async throws {
        let (auth, other) = try await waiting()
        bench.service.script(refreshes: .minted, .minted)
        // The store takes nothing for a while, or everything again. Said before the time passes, in which it is asked.
        if isRefused { bench.store.failCommits(full) }
        bench.clock.advance(by: .seconds(3_600))
        #expect(await code { try await auth.accessToken(of: ada) } == (isRefused ? .store(.notDurable) : nil))
        bench.store.failCommits(nil)
        #expect(await code { try await other.accessToken(of: bob) } == nil)
        try await bench.run { try await bench.until { try await bench.store.keys(.credential).count == 2 } }
        #expect(try await people == ["ada", "bob"])
        #expect(await code { try await auth.accessToken(of: ada) } == nil)
        #expect(Set(bench.service.sentSecrets) == ["refresh-1", "refresh-2"])
        #expect(revoked.isEmpty)
    }

    @Test(
        "a sign-in that waits for its own key is stored there alone, though the people of the other one left meanwhile",
        .law(5))
    func waitsInOnePlace() async throws {
        let (auth, other) = try await waiting()
        let hasFailed = Locked(false)
        bench.store.script(
            replaces: .after { [full] in
                hasFailed.withLock { $0 = true }
                throw full
            })
        try await bench.run { try await bench.until { hasFailed.withLock(\.self) } }
        try await other.signOut(of: bob)
        try await bench.run { try await bench.until { try await people == ["ada"] } }
        for _ in 0..<20 { _ = bench.clock.advanceToNextSleeper() }
        await bench.settle()
        var (live, ended) = (0, 0)
        for key in try await bench.store.keys(.credential) {
            let document = try JSON.parse(try #require(try await bench.store.read(key)).bytes)
            if document["credential"] != nil { live += 1 }
            ended += document["ended"]?.array?.count ?? 0
        }
        #expect(live == 1)
        #expect(ended == 1, "Bob's, and not the sign-in that is in the store now.")
        #expect(try await people == ["ada"])
        #expect(await code { try await auth.accessToken(of: ada) } == nil)
        #expect(revoked == ["refresh-2"])
    }

    @Test("a sign-in that waits, and finds no room anywhere for a while, is stored once there is some", .law(2))
    func waitsOn() async throws {
        let (auth, _) = try await waiting()
        bench.store.script(replaces: .refused(full), .refused(full), .refused(full))
        try await bench.run { try await bench.until { try await bench.store.keys(.credential).count == 2 } }
        #expect(try await people == ["ada", "bob"])
        #expect(auth.currentToken(of: ada) != nil && revoked.isEmpty)
    }

    @Test(
        "a person who signs out while their sign-in is stored for their own account is signed out, and no one else",
        .law(5))
    func leavesWhileStored() async throws {
        let (auth, _) = try await waiting()
        let leaving = Locked<Task<SignOutResult, any Error>?>(nil)
        bench.store.script(
            replaces: .after { [ada, bench] in
                leaving.withLock { $0 = Task { try await auth.signOut(of: ada) } }
                await bench.settle()
            })
        try await bench.run {
            try await bench.until { leaving.withLock { $0 } != nil }
            _ = try await leaving.withLock { $0 }?.value
            try await bench.until { try await bench.store.keys(.credential).count == 2 }
            try await bench.until { try await people == ["bob"] }
        }
        #expect(auth.currentToken(of: ada) == nil)
        #expect(Set(revoked) == ["refresh-1"])
    }
}
