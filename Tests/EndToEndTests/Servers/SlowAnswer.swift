import Latchkey
import LatchkeyOAuth
import LatchkeyTesting
import Testing

/// A login at Glewlwyd, and a proxy that holds the answer to its next refresh: what its processes are told meanwhile, and
/// what becomes of the login. Using a refresh token twice ends it there, so giving a slow refresh up costs the login.
struct SlowAnswer: Sendable {
    /// How long the answer is held.
    static let delay = Duration.seconds(20)
    /// When a process is killed meanwhile: after its third word that its request is still under way, which comes at 15.
    static let death = Duration.seconds(15.5)
    /// When the next process may send at the earliest: it sees that the sender has ended, and waits for the service's time. And
    /// at the latest, when the last of these words would have run out.
    static let silence = Duration.seconds(16.5)..<Duration.seconds(25)
    /// How long a caller waits at most: ten seconds, and a bit for a busy machine.
    static let patience = Duration.seconds(11.5)

    private let app: ServedApp<GlewlwydPerson>
    private let proxy: CountingProxy
    private let clock = SystemClock()
    /// When the access token of the sign-in has ended.
    private let tokenEnds: MonotonicInstant

    init() async throws {
        app = try await ServedApp(.glewlwydBrief) { .oauth(issuer: $0.issuer, clientID: "pub1") }
        try await app.signIn()
        tokenEnds = clock.now() + ServerKind.briefLifetime + .seconds(0.5)
        proxy = try CountingProxy(before: app.server.issuer)
    }

    /// A caller whose token lasts, and another process that has it too.
    func waitedWithToken() async throws -> SlowReport {
        let (member, other) = (try app.member(by: proxy), try app.member(by: proxy))
        let token = try await held(by: member)
        let trap = catchNext()
        async let told = member.answer(to: "race \(clock.now().nanoseconds)")
        let arrived = try await sprung(trap)
        let beside = try await other.answer(to: "hold")
        var report = SlowReport("the answer is held for 20 s, and the token lasts")
        let hasToken = beside.words == ["held", token] && beside.took < .seconds(2)
        report.expect(hasToken, "another process was told \(beside.words[0]) after \(beside.took)")
        try await judge(told, holding: token, in: &report)
        try await deliver(trap, arrived, in: &report)
        return report
    }

    /// A caller whose token has ended.
    func waitedWithoutToken() async throws -> SlowReport {
        let member = try app.member(by: proxy)
        _ = try await held(by: member)
        try await clock.sleep(until: tokenEnds)
        let trap = catchNext()
        async let told = member.answer(to: "hold")
        let arrived = try await sprung(trap)
        var report = SlowReport("the answer is held for 20 s, and the token has ended")
        try await judge(told, holding: nil, in: &report)
        try await deliver(trap, arrived, in: &report)
        return report
    }

    /// A process that is killed while its refresh is held, and the next one. `acts`: whether the server acted on it.
    func killed(acts: Bool) async throws -> SlowReport {
        let member = try app.member(by: proxy)
        _ = try await held(by: member)
        let trap = catchNext(reachesService: acts)
        member.tell("race \(clock.now().nanoseconds)")
        let arrived = try await sprung(trap)
        let sent = try #require(try StoredLogin(below: app.directory).markSent)
        try await clock.sleep(until: arrived + Self.death)
        member.kill()
        trap.over.open()
        var report = SlowReport("killed at 15 s, its \(acts ? "answer" : "request") lost")
        report.told = try await fate(toldTo: try app.member(by: proxy))
        let again = proxy.count.times.dropFirst().first.map { $0 - sent }
        let after = again.map { "\($0.components.seconds)s" } ?? "never"
        report.ordeal = "killed=15s sent_again=\(after) told=\(report.told)"
        report.expect(Self.silence.contains(again ?? .zero), "it was sent again after \(again ?? .zero)")
        try await finish(&report)
        return report
    }

    /// A caller under the old rule: its refresh is given up after ten seconds, and sent again later.
    func givenUp() async throws -> SlowReport {
        let member = try app.member(by: proxy, protection: .hasty)
        let token = try await held(by: member)
        let trap = catchNext()
        async let told = member.answer(to: "race \(clock.now().nanoseconds)")
        let arrived = try await sprung(trap)
        var report = SlowReport("the answer is held for 20 s, and the refresh is given up after 10 s")
        try await judge(told, holding: token, in: &report)
        try await clock.sleep(until: tokenEnds)
        report.told = try await fate(toldTo: member)
        try await clock.sleep(until: arrived + Self.delay)
        trap.over.open()
        _ = try await Child.poll(within: 10) { proxy.count.statuses.count == proxy.count.refreshes ? true : nil }
        try await finish(&report)
        return report
    }

    private func held(by member: HeldProcess) async throws -> String {
        let answer = try await member.answer(to: "hold").words
        try #require(answer.count == 2 && answer[0] == "held", "\(answer)")
        return answer[1]
    }

    private func catchNext(reachesService: Bool = true) -> CountingProxy.Trap {
        let trap = CountingProxy.Trap(reachesService: reachesService, delivers: true)
        proxy.set(trap)
        return trap
    }

    private func sprung(_ trap: CountingProxy.Trap) async throws -> MonotonicInstant {
        let isSprung = try await Child.poll(within: 30) { trap.sprung.isOpen ? true : nil }
        try #require(isSprung == true, "No refresh came.")
        return try #require(proxy.count.times.first)
    }

    /// A caller gets the token that lasts, or `offline`, in ten seconds.
    private func judge(
        _ answer: (words: [String], took: Duration), holding token: String?, in report: inout SlowReport
    ) {
        let word = answer.words.last ?? ""
        let isOld = word == token && ["got", "held"].contains(answer.words[0])
        report.told = isOld ? "old-token" : ["got", "held"].contains(answer.words[0]) ? "a token" : word
        report.expect(isOld || word.hasPrefix("offline."), "the caller was told \(report.told)")
        report.expect(answer.took <= Self.patience, "the caller waited for \(answer.took)")
    }

    /// Lets the answer go when it is time, and looks whether it is stored.
    private func deliver(
        _ trap: CountingProxy.Trap, _ arrived: MonotonicInstant, in report: inout SlowReport
    ) async throws {
        try await clock.sleep(until: arrived + Self.delay)
        trap.over.open()
        let isStored = try await Child.poll(within: 10) {
            (try? StoredLogin(below: app.directory))?.hasMark == false ? true : nil
        }
        report.expect(isStored == true, "the answer was not stored")
        try await finish(&report)
    }

    /// What a process is told in the end, however often it is told before that the service cannot be reached.
    private func fate(toldTo member: HeldProcess) async throws -> String {
        let limit = clock.now() + .seconds(60)
        while clock.now() < limit {
            let words = try await member.answer(to: "hold").words
            guard let word = words.last, words[0] == "none" else { return "alive" }
            if word.hasPrefix("signInRequired.") { return word }
            // Who is told at once would otherwise ask without pause.
            try await clock.sleep(until: clock.now() + .milliseconds(100))
        }
        return "nothing"
    }

    private func finish(_ report: inout SlowReport) async throws {
        report.refreshes = proxy.count.refreshes
        report.login = try await app.fate(newest: proxy.count.given.last, userInfo: "/userinfo", token: "/token")
    }
}
