import Latchkey
import LatchkeyOAuth
import Testing

@Suite(
    "Eight processes race for a session at Glewlwyd", .serialized,
    .enabled(if: ServerKind.glewlwyd.isWanted, Comment(rawValue: ServerKind.glewlwyd.missing)))
struct GlewlwydRaceTests {
    private func race(isProtected: Bool) async throws -> RaceReport {
        let app = try await ServedApp<GlewlwydPerson>(.glewlwyd) { .oauth(issuer: $0.issuer, clientID: "pub1") }
        try await app.signIn()
        return try await Race(app: app, isProtected: isProtected).run()
    }

    @Test("Each round brings all of them a newer token by one request, and the login lives")
    func protected() async throws {
        try await expectOneRefreshARound(of: .glewlwyd, try await race(isProtected: true))
    }

    @Test("Without lane and compare-and-swap the same login dies: the race can be lost")
    func unprotected() async throws {
        try await expectDeath(at: .glewlwyd, try await race(isProtected: false))
    }
}

@Suite(
    "Eight processes race for a session at django-oauth-toolkit", .serialized,
    .enabled(if: ServerKind.django.isWanted, Comment(rawValue: ServerKind.django.missing)))
struct DjangoRaceTests {
    private func race(isProtected: Bool) async throws -> RaceReport {
        let scopes = ["openid", "api"]
        let app = try await ServedApp<DjangoPerson>(.django) {
            .oauth(issuer: $0.issuer, clientID: "pub1", scopes: scopes)
        }
        try await app.signIn()
        return try await Race(
            app: app, userInfo: "/userinfo/", token: "/token/", scopes: scopes.joined(separator: ","),
            isProtected: isProtected
        ).run()
    }

    @Test("Each round brings all of them a newer token by one request, and the login lives")
    func protected() async throws {
        try await expectOneRefreshARound(of: .django, try await race(isProtected: true))
    }

    @Test("Without lane and compare-and-swap the same login dies: the race can be lost")
    func unprotected() async throws {
        try await expectDeath(at: .django, try await race(isProtected: false))
    }
}

private func expectOneRefreshARound(of kind: ServerKind, _ report: RaceReport) async throws {
    print("race: \(kind)\nrace: \(report)\nrace: (\(report.details))")
    #expect(report.ok == report.rounds * report.processes)
    #expect(report.refreshes == report.rounds)
    #expect(report.mostAtOnce == 1)
    #expect(report.maxWaiters == report.processes - 1)
    #expect(report.login == .alive)
}

private func expectDeath(at kind: ServerKind, _ report: RaceReport) async throws {
    print(
        """
        race: \(kind), lane and compare-and-swap off: each process over its own copy, the last writer wins
        race: \(report)
        race: (\(report.details))
        """)
    #expect(report.mostAtOnce > 1)
    #expect(report.login == .dead)
}
