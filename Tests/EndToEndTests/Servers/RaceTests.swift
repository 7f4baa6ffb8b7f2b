import Latchkey
import LatchkeyOAuth
import Testing

@Suite(
    "Eight processes race for a session at Glewlwyd", .serialized,
    .enabled(if: ServerKind.glewlwyd.isWanted, Comment(rawValue: ServerKind.glewlwyd.missing)))
struct GlewlwydRaceTests {
    private func race(_ protection: RaceProtection, rounds: Int = RaceReport.wantedRounds) async throws -> RaceReport {
        let app = try await ServedApp<GlewlwydPerson>(.glewlwyd) { .oauth(issuer: $0.issuer, clientID: "pub1") }
        try await app.signIn()
        return try await Race(app: app, protection: protection, rounds: rounds).run()
    }

    @Test("Each round brings all of them a newer token by one request, and the login lives")
    func protected() async throws {
        expectOneRefreshARound(of: .glewlwyd, try await race(.full))
    }

    @Test("With the lane alone off, the mark of the first holds the others off, and the login lives")
    func noLock() async throws {
        // Each round takes as long as a request may: 2 seconds here.
        let report = try await race(.noLock, rounds: 2)
        show(.glewlwyd, "lane off, compare-and-swap on: the mark of the first holds the others off", report)
        #expect(report.ok == report.rounds * report.processes)
        #expect(report.refreshes == report.rounds)
        #expect(report.maxWaiters == 0)
        #expect(report.login == .alive)
    }

    @Test("Without lane and compare-and-swap the same login dies: the race can be lost")
    func unprotected() async throws {
        // It refuses without a word, which may be another server's, so each further round waits for the one before.
        expectDeath(at: .glewlwyd, try await race(.none, rounds: 3))
    }
}

@Suite(
    "Eight processes race for a session at django-oauth-toolkit", .serialized,
    .enabled(if: ServerKind.django.isWanted, Comment(rawValue: ServerKind.django.missing)))
struct DjangoRaceTests {
    private func race(_ protection: RaceProtection) async throws -> RaceReport {
        let scopes = ["openid", "api"]
        let app = try await ServedApp<DjangoPerson>(.django) {
            .oauth(issuer: $0.issuer, clientID: "pub1", scopes: scopes)
        }
        try await app.signIn()
        return try await Race(
            app: app, userInfo: "/userinfo/", token: "/token/", scopes: scopes.joined(separator: ","),
            protection: protection
        ).run()
    }

    @Test("Each round brings all of them a newer token by one request, and the login lives")
    func protected() async throws {
        expectOneRefreshARound(of: .django, try await race(.full))
    }

    @Test("Without lane and compare-and-swap the same login dies: the race can be lost")
    func unprotected() async throws {
        // It keeps every one of several answers alive until one of them is used, so that the login may come through
        // one race by chance; through three it has not.
        var report = try await race(.none)
        for _ in 0..<2 where report.login != .dead { report = try await race(.none) }
        expectDeath(at: .django, report)
    }
}

private func show(_ kind: ServerKind, _ what: String?, _ report: RaceReport) {
    print("race: \(kind)\(what.map { ", \($0)" } ?? "")\nrace: \(report)\nrace: (\(report.details))")
}

private func expectOneRefreshARound(of kind: ServerKind, _ report: RaceReport) {
    show(kind, nil, report)
    #expect(report.ok == report.rounds * report.processes)
    #expect(report.refreshes == report.rounds)
    #expect(report.mostAtOnce == 1)
    #expect(report.maxWaiters == report.processes - 1)
    #expect(report.login == .alive)
}

private func expectDeath(at kind: ServerKind, _ report: RaceReport) {
    show(kind, "lane and compare-and-swap off: each process over its own copy, the last writer wins", report)
    #expect(report.refreshes > 1)
    #expect(report.login == .dead)
}
