import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import Testing

/// A browser that the tool does not listen to: what the person reads at the terminal, at once.
@Suite("login, and a browser that is not listened to", .timeLimit(.minutes(2))) struct StrayBrowserTests {
    /// A login that waits for its browser, and where that came back to with its answer.
    private struct Waiting {
        let (tool, server, terminal): (Tool, DevServer, TestTerminal)
        let child: Child
        let arrival: String

        init(_ options: String..., environment: [String: String] = [:]) async throws {
            (tool, server, terminal) = (try Tool(), try Service.start(), try TestTerminal(columns: 200, rows: 60))
            let words = ["login", "--issuer", server.issuer, "--client-id", "dev-native", "--no-browser"]
            child = try tool.start(words + options, at: terminal, environment: environment)
            let screen = terminal
            try await screen.wait { screen.screen().contains("is hidden)") || screen.screen().contains("masquée)") }
            let address = try #require(screen.screen().firstMatch(of: /\s(http:\/\/\S+\/authorize\S+)/)).1
            arrival = try await Browser().destination(of: String(address))
        }

        func bring(_ fields: HeaderFields) async throws -> String {
            let request = TransportRequest("GET", arrival, fields: fields)
            let page = try await CurlTransport().send(request, deadline: .seconds(20))
            return String(decoding: page.body, as: UTF8.self)
        }
    }

    @Test("is said once, with what to paste and what to run instead; the login goes on")
    func cookies() async throws {
        let waiting = try await Waiting()
        let cookies: HeaderFields = ["Cookie": String(repeating: "c", count: 70_000)]
        for _ in 0..<2 { #expect(try await waiting.bring(cookies).contains("copy the address of this page")) }
        try await waiting.terminal.wait { waiting.terminal.screen().contains("--detach") }
        let screen = waiting.terminal.screen()
        #expect(screen.split(separator: "more than 64 KiB of cookies").count == 2, "\(screen)")
        #expect(screen.contains("Paste the address of the page that the browser shows now, or stop this and run:"))
        #expect(screen.contains("latchkey login --issuer \(waiting.server.issuer) --client-id dev-native"))
        waiting.terminal.type(waiting.arrival + "\n")
        try await waiting.terminal.wait { waiting.terminal.screen().contains("Signed in as ada@example.test") }
    }

    @Test("at another host name it is said what to run, in the person's language, and nothing is to be pasted")
    func otherHost() async throws {
        let waiting = try await Waiting(environment: ["LC_ALL": "fr_FR.UTF-8"])
        let page = try await waiting.bring(["Host": "proxy.example:8400", "Accept-Language": "fr"])
        #expect(page.contains("autre nom d’hôte"))
        try await waiting.terminal.wait { waiting.terminal.screen().contains("--detach") }
        let screen = waiting.terminal.screen()
        #expect(screen.contains("Pour continuer, arrêtez ceci et lancez : latchkey login"))
        #expect(!screen.contains("Collez l"))
        #expect(try await Browser().open(waiting.arrival) == 200)
        try await waiting.terminal.wait { waiting.terminal.screen().contains("Connecté en tant que ada@example.test") }
    }
}
