public import Latchkey
import LatchkeyTesting

/// What the presenter is put through: the contract of presenters, with a browser that reads the page's form.
@available(macOS 15, *)
public enum WicketTrial {
    /// Tells the address of a page.
    public typealias Announcing = @Sendable (_ page: String) async -> Void

    /// Runs the contract over what `make` makes.
    ///
    /// - Parameter timeLimit: How long a clause may take, in real time.
    public static func run(
        timeLimit: Duration = .seconds(30),
        _ make: @escaping @Sendable (PluginContext, @escaping Announcing) -> any ChallengePresenter
    ) async throws {
        try await PresenterContract(
            shows: [
                (.code(over: .mail, sentTo: "a…@example.com"), .code(Secret("481516"))),
                (.password, .password(Secret("a sloop & 100%"))),
                (.choose([.init(id: "a", label: "One"), .init(id: "b", label: "Two")]), .choice("b")),
            ], timeLimit: timeLimit
        ) { _ in
            let pages = Lines()
            var stage = PresenterStage(make(.system) { pages.add($0) }) { challenge, act in
                try await visit(newest(pages), act, challenge.ask)
            }
            stage.written = { pages.all }
            return stage
        }.run()
    }

    /// The page that was announced last and is still there.
    private static func newest(_ pages: Lines) async throws -> (address: String, html: String) {
        while true {
            if let page = pages.all.last, let answer = try? await LocalClient.send(TransportRequest("GET", page)) {
                return (page, String(decoding: answer.body, as: UTF8.self))
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// What a browser sends.
    private static func visit(
        _ page: (address: String, html: String), _ act: PresenterStage.Act, _ ask: Ask
    ) -> PresenterStage.Visit {
        let ticket = String(
            page.html.split(separator: "name=ticket value=\"").dropFirst().first?.prefix { $0 != "\"" } ?? "")
        let origin = WebAddress(page.address)?.origin ?? ""
        let request = TransportRequest(
            "POST", page.address,
            fields: ["Origin": origin, "Content-Type": "application/x-www-form-urlencoded"],
            body: Array("ticket=\(ticket)&\(said(act, ask))".utf8))
        return PresenterStage.Visit(
            page: page.address, reply: request, proofs: [ticket, String(page.address.dropFirst(origin.count + 1))])
    }

    private static func said(_ act: PresenterStage.Act, _ ask: Ask) -> String {
        switch act {
        case .declines, .answers(.declined): "answer=&say=no"
        case .answers(.code(let typed)), .answers(.password(let typed)): "answer=\(escaped(typed))&say=answer"
        case .answers(.choice(let id)):
            if case .choose(let options) = ask {
                "answer=\(options.firstIndex { $0.id == id } ?? 0)&say=answer"
            } else {
                "say=answer"
            }
        case .answers: "say=answer"
        }
    }

    private static func escaped(_ typed: Secret) -> String {
        typed.reveal().map { byte in
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte | 0x20 & 0xDF) && byte != 0x20
            return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
