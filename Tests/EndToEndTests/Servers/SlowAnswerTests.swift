import Testing

@Suite(
    "Glewlwyd, which ends a login on reuse, behind a proxy that holds the answer", .serialized,
    .enabled(if: ServerKind.glewlwyd.isWanted, Comment(rawValue: ServerKind.glewlwyd.missing)))
struct SlowAnswerTests {
    @Test("A refresh of 20 s is waited for, and the login lives; whoever gives it up after 10 s kills it")
    func slow() async throws {
        // One signs in after another: over SQLite, Glewlwyd answers requests that write at the same time with 500.
        var scenes: [SlowAnswer] = []
        for _ in 0..<5 { scenes.append(try await SlowAnswer()) }
        let (lasting, ended, answered, lost, hasty) = (scenes[0], scenes[1], scenes[2], scenes[3], scenes[4])
        // All wait for the same clock, so they do it side by side.
        async let first = lasting.waitedWithToken()
        async let second = ended.waitedWithoutToken()
        async let third = answered.killed(acts: true)
        async let fourth = lost.killed(acts: false)
        async let fifth = hasty.givenUp()
        let reports = try await [first, second, third, fourth, fifth]
        for report in reports {
            print("slow: Glewlwyd, \(report.title)\nslow: \(report)\nslow: (\(report.details))")
            #expect(report.wrong.isEmpty, "\(report.title): \(report.wrong)")
        }
        for report in reports.prefix(2) { #expect("\(report)" == "delayed=20s refreshes=1 login=alive") }
        // What it was told is what happened. The server refuses a used token without a word, which may be another
        // server's answer, so nothing definite is told.
        let fates = ["alive", "signInRequired.interrupted", "nothing"]
        #expect(fates.contains(reports[2].told))
        #expect((reports[2].told == "alive") == (reports[2].login == .alive))
        #expect(reports[3].told == "alive" && reports[3].login == .alive)
        #expect(reports[4].refreshes >= 2 && reports[4].login == .dead)
    }
}
