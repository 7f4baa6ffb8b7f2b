import Latchkey
import LatchkeyModel
import LatchkeyTesting
import TaskSettling
import Testing

@testable import LatchkeyWebSignIn

@Suite("What browsers leave in the store") struct SweepTests {
    /// A browser whose person is being asked for a code, on the way to `place`.
    private func asked(_ bench: WebBench, to place: String = "/", _ name: String = "c") async throws -> TestBrowser {
        var browser = TestBrowser(bench.web)
        try await browser.open("/auth/sign-in?return=\(FormText.encode(place))")
        bench.service.script(turns: bench.asked(.totp, "challenge-of-sixteen-\(name)"))
        try await browser.submit("/auth/sign-in", ["identifier": "a@example.com", "password": "p"])
        #expect(browser.path == "/auth/challenge")
        return browser
    }

    private func answer(_ browser: inout TestBrowser, _ bench: WebBench) async throws {
        bench.service.script(turns: .granted(to: "alice"))
        try await browser.open("/auth/challenge")
        try await browser.submit("/auth/challenge", button: "answer", ["code": "123456"])
    }

    /// The keys that are left, without those that one server has once.
    private func left(_ bench: WebBench) throws -> [String] {
        try StoreKey.Kind.allCases.flatMap { try bench.store.keys($0) }.map(\.name).filter {
            !["web/key", "web/sweep"].contains($0)
        }
    }

    /// Lets `time` pass. A clean-up under way ends before: one that ends afterwards would count as the one that is due then.
    private func pass(_ time: Duration, at bench: WebBench) async throws {
        #expect(await settleTasks { bench.web.sweeping()?.isRunning == false })
        bench.clock.advance(by: time)
    }

    /// Lets a clean-up begin, and waits until `condition` holds.
    private func sweep(_ bench: WebBench, until condition: () async -> Bool) async throws {
        var visitor = TestBrowser(bench.web)
        try await visitor.open("/auth/sign-in")
        try await bench.advance(by: .milliseconds(250), until: condition)
    }

    @Test("a guest that never comes back is erased after its hour, and after a restart, too", arguments: [false, true])
    func guest(restarted: Bool) async throws {
        var bench = WebBench()
        for number in 0..<5 { _ = try await asked(bench, "\(number)") }
        #expect(try left(bench).contains { $0.hasPrefix("partition/") })
        if restarted {
            await bench.web.finish()
            let before = bench
            bench = WebBench(over: before.store, service: before.service)
            try await pass(.seconds(3_601), at: bench)
        } else {
            try await pass(.seconds(3_601), at: bench)
        }
        let last = bench
        // A session goes before what else is about it.
        try await sweep(last) { (try? left(last))?.isEmpty ?? false }
    }

    @Test("a guest on the way is not touched by a clean-up, and arrives where it wanted to, after a restart, too")
    func way() async throws {
        let bench = WebBench()
        var browser = try await asked(bench, to: "/notes/7")
        try await pass(.seconds(1_800), at: bench)
        await bench.web.finish()
        let next = WebBench(over: bench.store, service: bench.service)
        try await pass(.seconds(1_801), at: next)
        #expect(try await next.web.sweeping()?.run() != nil)
        var moved = TestBrowser(next.web)
        moved.cookies = browser.cookies
        try await answer(&moved, next)
        #expect(moved.path == "/notes/7")
        browser.cookies = [:]
        #expect(try left(next).filter { $0.hasPrefix("web/guests/") }.isEmpty)
    }

    @Test("a signed-in browser that never returns is signed out after its time, and the service is told")
    func silent() async throws {
        let bench = WebBench()
        for name in ["alice", "bob", "carol"] { _ = try await bench.signedIn(name) }
        let stays = try await bench.signedIn("dave")
        await bench.web.finish()
        let next = WebBench(over: bench.store, service: bench.service)
        var moved = TestBrowser(next.web)
        moved.cookies = stays.cookies
        try await pass(.seconds(6 * 86_400), at: next)
        try await moved.open("/")
        #expect(moved.text.contains("dave"))
        try await pass(.seconds(2 * 86_400), at: next)
        let service = bench.service
        try await sweep(next) { service.revokeCount == 3 }
        try await next.advance(by: .milliseconds(250)) {
            ((try? left(next)) ?? []).count { $0.hasPrefix("partition/") } == 1
        }
        try await moved.open("/")
        #expect(moved.text.contains("dave"))
        #expect(try left(next).count { $0.hasPrefix("web/visitor/") } == 1)
        #expect(try left(next).count { $0.hasPrefix("web/person/") } == 1)
    }

    @Test("a session that no record leads to is signed out, and its part stays until the service was told")
    func orphan() async throws {
        let bench = WebBench()
        let browser = try await bench.signedIn()
        let id = String(browser.session.split(separator: ".")[1])
        try await bench.web.records.forget(id)
        await bench.web.finish()
        for _ in 0..<2 {
            bench.service.script(revocations: .failed(AuthError(.offline(.unreachable), "no network")))
        }
        let next = WebBench(over: bench.store, service: bench.service)
        try await pass(.seconds(3_601), at: next)
        _ = try await next.web.sweeping()?.run()
        #expect(bench.service.revokeCount >= 1)
        #expect(try left(next) == ["partition/\(id)"])
        // The service is told again some time later, and the first clean-up after that takes the part away.
        try await next.advance(by: .seconds(601)) {
            _ = try? await next.web.sweeping()?.run()
            return (try? left(next).isEmpty) ?? false
        }
    }

    @Test("a guest that no list knows, as of an earlier version, has an hour more, and no more than there is room")
    func unknown() async throws {
        let bench = WebBench { $0.guests.number = 64 }
        var browser = try await asked(bench, to: "/notes/7")
        await bench.web.finish()
        for key in try bench.store.keys(.settings) where key.name.hasPrefix("web/guests/") {
            _ = try bench.store.replace(key, at: bench.store.read(key)?.version, with: nil)
        }
        let part = try #require(try bench.store.keys(.credential).first)
        let bytes = try #require(try bench.store.read(part)).bytes
        for number in 0..<20 {
            _ = try bench.store.replace(StoreKey(.credential, "partition/AAA\(number)"), at: nil, with: bytes)
        }
        let next = WebBench(over: bench.store, service: bench.service) { $0.guests.number = 64 }
        _ = try await next.web.records.keepSweep(for: 0)
        _ = try await next.web.sweeping()?.run()
        let there = try left(next)
        #expect(there.count { $0.hasPrefix("partition/AAA") } == 1, "\(there)")
        var moved = TestBrowser(next.web)
        moved.cookies = browser.cookies
        try await answer(&moved, next)
        #expect(moved.path == "/notes/7")
        try await pass(.seconds(3_601), at: next)
        _ = try await next.web.sweeping()?.run()
        #expect(try left(next).count { $0.hasPrefix("partition/") } == 1)
        browser.cookies = [:]
    }

    @Test("one process cleans up at a time, and a lease of a clock that was wrong holds nobody up") func lease()
        async throws
    {
        let bench = WebBench()
        let records = bench.web.records
        #expect(try await records.takeSweep(for: 3_600) == nil)
        let other = WebBench(over: bench.store, service: bench.service)
        #expect(try await other.web.records.takeSweep(for: 3_600) == records.now + 3_600)
        try await pass(.seconds(3_600), at: bench)
        #expect(try await records.takeSweep(for: 3_600) == nil)
        let ahead = records.now + 400 * 86_400
        let key = StoreKey(.settings, "web/sweep")
        let stored = try #require(try bench.store.read(key))
        _ = try bench.store.replace(key, at: stored.version, with: Array("\(ahead)".utf8))
        #expect(try await records.takeSweep(for: 3_600) == nil)
    }

    @Test("a damaged record, list or part of one browser keeps nobody from signing in, and the clean-up goes on")
    func damaged() async throws {
        let bench = WebBench()
        let stays = try await bench.signedIn("dave")
        for number in 0..<64 {
            let name = "web/guests/\(Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")[number])"
            _ = try bench.store.replace(StoreKey(.settings, name), at: nil, with: Array("?".utf8))
        }
        _ = try bench.store.replace(StoreKey(.settings, "web/visitor/AAAA"), at: nil, with: Array("?".utf8))
        _ = try bench.store.replace(StoreKey(.settings, "web/person/AAAA"), at: nil, with: Array("?".utf8))
        _ = try bench.store.replace(StoreKey(.credential, "partition/BBBB"), at: nil, with: Array("?".utf8))
        var browser = try await asked(bench, to: "/notes/7")
        try await answer(&browser, bench)
        #expect(browser.path == "/notes/7")
        try await pass(.seconds(3_601), at: bench)
        _ = try await bench.web.sweeping()?.run()
        #expect(try left(bench).contains("web/visitor/AAAA") == false)
        // What cannot be read may be of a later version.
        #expect(try left(bench).contains("partition/BBBB"))
        #expect(await stays.send(WebRequest("GET", "/")).status == 200)
    }

    @Test("guests take no room in memory from those who are signed in, whose unlock would be lost") func memory()
        async throws
    {
        let bench = WebBench(policy: UnlockPolicy(atLaunch: false, enrolment: .offered)) {
            $0.openLimit = 10
            $0.guests.number = 640
        }
        var people: [TestBrowser] = []
        for number in 0..<10 {
            var browser = try await bench.signedIn("person\(number)")
            try await browser.open("/auth/account")
            try await browser.submit("/auth/account", button: "unlock-on", ["proof": "1234"])
            people.append(browser)
        }
        var guest = try await asked(bench, to: "/notes/7", "first")
        for number in 0..<60 { _ = try await asked(bench, "\(number)") }
        #expect(await bench.web.openVisitors <= 12)
        for browser in people { #expect(await browser.send(WebRequest("GET", "/")).status == 200) }
        // Its client was closed; it goes on from the store, and still knows the way.
        try await answer(&guest, bench)
        #expect(guest.path == "/notes/7")
    }
}
