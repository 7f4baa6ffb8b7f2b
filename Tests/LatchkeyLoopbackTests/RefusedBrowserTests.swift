import Latchkey
import LatchkeyHTTPServer
import LatchkeySystem
import Testing

@testable import LatchkeyLoopback

@Suite("A browser that is not listened to", .timeLimit(.minutes(1))) struct RefusedBrowserTests {
    private typealias Base = LoopbackPresenterTests

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var query = "?code=MARK&state=s"
        var fields: HeaderFields = [:]
        var owner = ConnectionOwner.user(0)
        var kind: StrayRedirect
        var words: String
        var isPasted = true
    }

    static let rows =
        [
            Row(
                testDescription: "another user", owner: .user(4_242), kind: .otherUser,
                words: "A browser of another user of this machine"),
            Row(
                testDescription: "an unknown owner", owner: .unknown, kind: .unknownOwner,
                words: "the system does not say whose it is"),
            Row(
                testDescription: "cookies of 70 KB", fields: ["Cookie": String(repeating: "c", count: 70_000)],
                kind: .longHead, words: "more than 64 KiB of cookies"),
            Row(
                testDescription: "a host name that a proxy has written", fields: ["Host": "id.example:8400"],
                kind: .otherHost, words: "another host name or port", isPasted: false),
            Row(
                testDescription: "an answer that cannot be decoded", query: "?error=x&error_description=%E9t%zz",
                kind: .unreadable, words: "cannot be read", isPasted: false),
        ].filter { isLinux || $0.owner == .user(0) }

    #if os(Linux)
        private static let isLinux = true
    #else
        private static let isLinux = false
    #endif

    private static func presenter(
        _ owner: Locked<ConnectionOwner>, pastes: Bool, told: Locked<[StrayRedirect]>
    ) -> LoopbackPresenter {
        var options = LoopbackPresenter.Options()
        options.appName = "Notes"
        let paste: LoopbackPresenter.Paste = { _ in
            let (never, end) = AsyncStream.makeStream(of: Never.self)
            for await _ in never {}
            end.finish()
            throw CancellationError()
        }
        return LoopbackPresenter(
            options, paste: pastes ? paste : nil, otherwise: nil, announce: { _ in },
            stray: { kind in told.withLock { $0.append(kind) } }, context: .system, browser: Browser(environment: [:]),
            owner: { _ in owner.withLock { $0 } })
    }

    @Test("its page says why, and how to go on; the terminal says it at once, once; the wait goes on", arguments: rows)
    func told(row: Row) async throws {
        for pastes in [true, false] {
            let (owner, told) = (Locked(row.owner), Locked<[StrayRedirect]>([]))
            let presenter = Self.presenter(owner, pastes: pastes, told: told)
            let redirect = try await presenter.openRedirect()
            let answer = Task { try await presenter.answer(Base.visit(redirect)) }
            // The wait has begun when what comes is told.
            while told.withLock({ $0.isEmpty }) {
                _ = try await Base.get(redirect + row.query, "GET", row.fields)
                await Task.yield()
            }
            let page = try await Base.get(redirect + row.query, "GET", row.fields)
            let text = String(decoding: page.body, as: UTF8.self)
            #expect(page.status == row.kind.status && text.contains(row.words), "\(text)")
            #expect(text.contains("copy the address of this page") == (pastes && row.isPasted))
            #expect(text.contains("The app still waits") && page.fields["Cache-Control"] == "no-store")
            // Who reads it may be anybody.
            #expect(!text.contains("MARK") && !text.contains("Notes"))
            #expect(page.fields["Content-Type"]?.hasPrefix("text/html") == true)
            owner.withLock { $0 = .user(0) }
            async let mine = Base.get("\(redirect)?code=right&state=s")
            #expect(Base.address(try await answer.value) == "\(redirect)?code=right&state=s")
            await presenter.conclude(Base.end)
            #expect(try await mine.status == 200)
            #expect(told.withLock { $0 } == [row.kind])
            await presenter.closeRedirect()
        }
    }

    @Test("its page is in its language", arguments: rows)
    func french(row: Row) async throws {
        let (owner, told) = (Locked(row.owner), Locked<[StrayRedirect]>([]))
        let presenter = Self.presenter(owner, pastes: false, told: told)
        let redirect = try await presenter.openRedirect()
        var fields = row.fields
        fields["Accept-Language"] = "fr"
        let page = try await Base.get(redirect + row.query, "GET", fields)
        let text = String(decoding: page.body, as: UTF8.self)
        #expect(text.contains("lang=\"fr\"") && text.contains("La connexion n’est pas terminée"))
        // Nothing waits yet, so that nothing is told.
        #expect(told.withLock { $0.isEmpty })
        await presenter.closeRedirect()
    }

    @Test("what is no visit of a person is not told: other addresses, frames, scripts", arguments: rows)
    func untold(row: Row) async throws {
        let (owner, told) = (Locked(row.owner), Locked<[StrayRedirect]>([]))
        let presenter = Self.presenter(owner, pastes: false, told: told)
        let redirect = try await presenter.openRedirect()
        let answer = Task { try await presenter.answer(Base.visit(redirect)) }
        let origin = try #require(WebAddress(redirect)).origin
        for path in ["/", "/favicon.ico", "/callback/"] {
            _ = try await Base.get(origin + path + row.query, "GET", row.fields)
        }
        for (name, value) in [("Sec-Fetch-Dest", "iframe"), ("Sec-Fetch-Mode", "no-cors")] {
            var fields = row.fields
            fields[name] = value
            _ = try await Base.get(redirect + row.query, "GET", fields)
        }
        #expect(told.withLock { $0.isEmpty })
        owner.withLock { $0 = .user(0) }
        async let mine = Base.arrive("\(redirect)?code=right&state=s")
        _ = try await answer.value
        await presenter.conclude(Base.end)
        #expect(try await mine.status == 200 && told.withLock { $0.isEmpty })
        await presenter.closeRedirect()
    }

    @Test("32 KB of cookies, as of other servers on this machine, are no reason")
    func cookies() async throws {
        let (presenter, announced) = Base.presenter()
        let redirect = try await presenter.openRedirect()
        let answer = await Base.answer(presenter, announced, Base.visit(redirect))
        let cookies = (0..<180).map { "name\($0)=\(String(repeating: "v", count: 175))" }.joined(separator: "; ")
        let (_, page) = try await Base.bring(
            "\(redirect)?code=1&state=s", ["Cookie": cookies], to: presenter, answer)
        #expect(cookies.utf8.count > 32_000 && page.status == 200)
        await presenter.closeRedirect()
    }
}
