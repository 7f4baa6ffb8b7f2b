import Foundation
import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@Suite struct AccountTests {
    /// Signs `subject` in.
    private func signIn(_ subject: String, _ bench: Bench, _ auth: AuthClient) async throws {
        let context = ProviderContext(world: bench.world, transport: ScriptedTransport(), cache: KeepingCache())
        bench.service.script(turns: .turn(.signedIn(bench.service.grant(subject: subject, in: context))))
        _ = try await auth.signIn(with: "scripted", .anonymous)
    }

    @Test(
        "several accounts live beside each other; the last to sign in is the current one, for every process",
        .complaint(.supabase, 28), .complaint(.clerk, 37))
    func several() async throws {
        let bench = Bench()
        let auth = try bench.process()
        try await signIn("alice", bench, auth)
        try await signIn("bob", bench, auth)
        let other = try bench.process(seed: 9)
        let accounts = try await other.accounts()
        #expect(accounts.map(\.label) == ["bob", "alice"])
        #expect(accounts.map(\.isCurrent) == [true, false])
        #expect(try await other.accessToken().value.revealText() == "access-2")
        let alice = try #require(accounts.last?.id)
        #expect(try await other.accessToken(of: alice).value.revealText() == "access-1")
        try await other.switchAccount(to: alice)
        try await auth.restore()
        #expect(auth.currentAccount == alice)
        #expect(try await auth.accessToken().value.revealText() == "access-1")
    }

    @Test(
        "an account that was the last to be read has no token once it is signed out, and then its next login's", .law(5)
    )
    func lastRead() async throws {
        let bench = Bench()
        let auth = try bench.process()
        try await signIn("alice", bench, auth)
        let alice = try #require(auth.currentAccount)
        try await signIn("bob", bench, auth)
        for _ in 1...2 { #expect(auth.currentToken(of: alice)?.value.revealText() == "access-1") }
        _ = try await auth.signOut(of: alice)
        #expect(auth.currentToken(of: alice) == nil)
        #expect(await code { try await auth.accessToken(of: alice) } == .signInRequired(.signedOut))
        try await signIn("alice", bench, auth)
        #expect(auth.currentToken(of: alice)?.value.revealText() == "access-3")
    }

    @Test("signing out of one account leaves the others, and makes one of them the current one")
    func signOutOne() async throws {
        let bench = Bench()
        let auth = try bench.process()
        try await signIn("alice", bench, auth)
        try await signIn("bob", bench, auth)
        try await auth.signOut()
        #expect(try await auth.accounts().map(\.label) == ["alice"])
        #expect(try await auth.accessToken().value.revealText() == "access-1")
    }

    @Test("an account that is not signed in cannot be made the current one")
    func switchToNobody() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        #expect(await code { try await auth.switchAccount(to: AccountID("x y z")) } == .signInRequired(.signedOut))
        #expect(await code { try await auth.accessToken(of: AccountID("x y z")) } == .signInRequired(.signedOut))
    }

    @Test(
        "the states of an account, as its token ages and the service goes away", .law(19), .complaint(.supabase, 6),
        .complaint(.clerk, 10))
    func states() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        func state() async throws -> AccountState? { try await auth.accounts().first?.state }
        #expect(try await state() == .fresh)
        bench.clock.advance(by: .seconds(3_400))
        #expect(try await state() == .stale)
        let offline = AuthError(.offline(.unreachable), "no network")
        bench.service.script(refreshes: .failed(offline), .failed(offline), .failed(offline))
        _ = try await auth.accessToken()
        guard case .offline(_, let until?) = try await state() else {
            Issue.record("offline was expected")
            return
        }
        #expect(abs(until.timeIntervalSince(bench.clock.wall()) - 200) < 1)
        bench.clock.advance(by: .seconds(7 * 86_400))
        #expect(await code { try await auth.accessToken() } == .offline(.graceOver))
        #expect(try await auth.accounts().first?.label == nil)
        bench.clock.advance(by: .seconds(3_600))
        _ = await code { try await auth.accessToken() }
        bench.clock.advance(by: .seconds(3_600))
        #expect(try await auth.accessToken().value.revealText() == "access-2")
        #expect(try await auth.accounts().first?.label == "alice")
        #expect(try await state() == .fresh)
    }

    @Test("a damaged record is told as damaged, is not overwritten, and does not hide the others", .law(8))
    func damaged() async throws {
        let bench = Bench()
        let auth = try bench.process()
        try await signIn("alice", bench, auth)
        try await signIn("bob", bench, auth)
        let bob = try #require(auth.currentAccount)
        let key = StoreKey(.credential, bob.value)
        let version = try await bench.store.read(key)?.version
        try await bench.store.replace(key, at: version, with: Array("{\"kind\":\"latchkey.cred".utf8))
        let other = try bench.process(seed: 9)
        #expect(try await other.accounts().map(\.label) == ["alice"])
        #expect(await code { try await other.accessToken() } == .store(.damaged))
        #expect(await code { try await other.signOut(of: bob) } == .store(.damaged))
        #expect(try await bench.store.read(key)?.bytes == Array("{\"kind\":\"latchkey.cred".utf8))
    }

    @Test("a file that hides whose it is does not lock the person out of the current account")
    func damagedList() async throws {
        let bench = Bench()
        _ = try await bench.signedIn()
        bench.store.failKeys(AuthError(.store(.damaged), "a file does not tell whose it is"))
        let auth = try bench.process(seed: 9)
        #expect(try await auth.accessToken().value.revealText() == "access-1")
        try await auth.signOut()
        #expect(await code { try await auth.accessToken() } == .store(.damaged))
    }

    @Test(
        "a locked or unreachable store is not an empty one", .law(8), .need("N4"), .complaint(.clerk, 9),
        arguments: [
            AuthError(.locked, "locked"), AuthError(.store(.unavailable), "gone"),
        ])
    func unreachable(_ failure: AuthError) async throws {
        let bench = Bench()
        _ = try await bench.signedIn()
        let auth = try bench.process(seed: 9)
        bench.store.script(reads: failure)
        #expect(await code { try await auth.accessToken() } == failure.code)
        #expect(try await auth.accessToken().value.revealText() == "access-1")
    }

    @Test(
        "a store that fails half-way as a whole is an error, and not whoever was read before it", .law(8),
        arguments: [
            AuthError(.locked, "locked"), AuthError(.store(.unavailable), "gone"),
            AuthError(.store(.insecurePermissions), "another user may move it"),
        ])
    func halfRead(_ failure: AuthError) async throws {
        let bench = Bench()
        let auth = try bench.process()
        try await signIn("alice", bench, auth)
        try await signIn("bob", bench, auth)
        let other = try bench.process(seed: 9)
        bench.store.script(reads: nil, failure)
        #expect(await code { _ = try await other.restore() } == failure.code)
        #expect(try await other.restore().count == 2)
    }

    @Test("a record of a newer format is read and never written", .law(15))
    func newerFormat() async throws {
        let bench = Bench()
        _ = try await bench.signedIn()
        try await bench.store.change { members in
            members["format"] = 2
            members["invention"] = ["of": "the future"]
        }
        let commits = bench.store.commitCount
        let auth = try bench.process(seed: 9)
        #expect(try await auth.accessToken().value.revealText() == "access-1")
        #expect(await code { try await auth.refresh() } == .store(.newerVersion))
        #expect(await code { try await auth.signOut() } == .store(.newerVersion))
        #expect(bench.service.refreshCount == 0)
        #expect(try await bench.store.onlyRecord().document["invention"] != nil)
        #expect(bench.store.commitCount == commits)
    }

    @Test("members that this version does not know survive a refresh, at every level", .law(15))
    func unknownMembers() async throws {
        let bench = Bench()
        _ = try await bench.signedIn()
        try await bench.store.change { members in
            members["top"] = 1
            var credential = try #require(members["credential"]?.object)
            credential["middle"] = 2
            var session = try #require(credential["sessions"]?.array?.first?.object)
            session["inner"] = 3
            session["tokens"] = .object(
                (session["tokens"]?.object ?? [:]).merging([
                    "other": ["value": "kept", "scheme": "Bearer", "innermost": 4]
                ]) { $1 })
            credential["sessions"] = .array([.object(session)])
            members["credential"] = .object(credential)
        }
        let auth = try bench.process(seed: 9)
        try await auth.refresh()
        let document = try await bench.store.onlyRecord().document
        #expect(document["top"] == 1)
        #expect(document["credential"]?["middle"] == 2)
        let session = document["credential"]?["sessions"]?.array?.first
        #expect(session?["inner"] == 3)
        #expect(session?["tokens"]?["other"]?["innermost"] == 4)
    }

    @Test("a session that the service ended is shown with its reason until the person leaves it, then swept away")
    func tombstones() async throws {
        let (bench, auth) = try await Bench.ended()
        bench.service.script(refreshes: .refused(Refusal(.definite, code: "invalid_grant")))
        _ = await code { try await auth.accessToken() }
        let other = try bench.process(seed: 9)
        #expect(try await other.accounts().map(\.state) == [.signInRequired(.refused)])
        #expect(try await other.signOut() == .nothingToDo)
        #expect(try await bench.process(seed: 10).accounts().isEmpty)
        #expect(try await bench.store.keys(.credential).count == 1)
        bench.clock.advance(by: .seconds(8 * 86_400))
        #expect(try await bench.process(seed: 11).accounts().isEmpty)
        #expect(try await bench.store.keys(.credential).isEmpty)
    }

    @Test("perform runs alone, its change is stored before its result is returned")
    func perform() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let result = try await auth.perform(replay: .killsFamily) { credential, _ in
            (CredentialChange(refreshToken: Secret("refresh-performed")), credential.refreshToken?.revealText() ?? "")
        }
        #expect(result == "refresh-1")
        let document = try await bench.store.onlyRecord().document
        #expect(document["credential"]?["renewal"]?.string == "refresh-performed")
        #expect(document["mark"] == nil)
    }

    @Test("perform that fails after sending leaves the mark, and one that was not sent takes it back")
    func performFails() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let failing: @Sendable (Credential, ProviderContext) async throws -> (CredentialChange, Int) = { _, _ in
            throw TransportError(.timedOut, wasSent: true)
        }
        #expect(await code { try await auth.perform(replay: .killsFamily, failing) } == .offline(.unreachable))
        #expect(try await bench.store.onlyRecord().document["mark"] != nil)
        let unsent: @Sendable (Credential, ProviderContext) async throws -> (CredentialChange, Int) = { _, _ in
            throw TransportError(.unreachable, wasSent: false)
        }
        bench.clock.advance(by: .seconds(11))
        #expect(await code { try await auth.perform(replay: .fixed, unsent) } == .offline(.unreachable))
    }

    @Test(
        "reading anew shows what was there before the call, also to a call that comes while the store is being read",
        .law(5))
    func readAnew() async throws {
        let bench = Bench()
        let first = try bench.process(seed: 1)
        let second = try bench.process(seed: 2) { builder in
            var settings = EngineSettings()
            settings.followsStore = false
            return builder.settings(settings)
        }
        try await signIn("alice", bench, first)
        let late = Locked<Task<Int, any Error>?>(nil)
        bench.store.script(afterRead: {
            try await signIn("bob", bench, first)
            // The list of keys was read before bob came.
            late.withLock { $0 = Task { try await second.restore().count } }
            await bench.settle()
        })
        // The other call may have shown bob by the time this one lists who is there.
        #expect([1, 2].contains(try await second.restore().count))
        #expect(try await late.withLock({ $0 })?.value == 2)
    }

    @Test("a reading that comes late does not show a login whose end this process has read meanwhile", .law(5))
    func lateReading() async throws {
        let bench = Bench()
        let first = try await bench.signedIn(seed: 1)
        let late = try bench.process(seed: 2)
        bench.store.script(afterRead: {
            try await first.signOut()
            // Reads the record in the same lane, while the reading of the launch is on its way back.
            #expect(try await late.owedRevocations() == 0)
        })
        #expect(try await late.restore().isEmpty)
        #expect(late.currentToken() == nil)
    }
}
