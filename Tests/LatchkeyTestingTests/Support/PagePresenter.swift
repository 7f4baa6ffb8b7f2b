import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// A presenter with a page on this machine that breaks at most one promise about strangers.
final class PagePresenter: ChallengePresenter {
    enum Fault: String, CaseIterable, Sendable {
        case anyOrigin, anyToken, bothTaken, markup, typedShown

        var clause: String {
            switch self {
            case .anyOrigin: "only the page itself may bring the answer"
            case .anyToken: "an answer to one question answers no other"
            case .bothTaken: "of two answers at once, one is taken, and only that one is told so"
            case .markup: "what a service says is shown as text, and is no part of the page"
            case .typedShown: "nothing of a question or an answer is printed"
            }
        }
    }

    static let shows: [(ask: Ask, answer: Answer)] = [(.code(over: .mail, sentTo: "ada"), .code(Secret("481516")))]

    let fault: Fault?
    private let state = Locked((pages: [String: String](), count: 0))

    init(_ fault: Fault?) { self.fault = fault }

    var stage: PresenterStage {
        PresenterStage(self) { [self] challenge, act in
            var page = state.withLock { $0.pages[challenge.id] }
            while page == nil {
                try await Task.sleep(for: .milliseconds(1))
                page = state.withLock { $0.pages[challenge.id] }
            }
            let token = page?.split(separator: "/").last.map(String.init) ?? ""
            let origin = page.flatMap { WebAddress($0)?.origin } ?? ""
            let typed = if case .answers(.code(let code)) = act { code.revealText() } else { "no" }
            let reply = TransportRequest(
                "POST", page ?? "", fields: ["Origin": origin], body: Array("\(token)=\(typed)".utf8))
            return PresenterStage.Visit(page: page ?? "", reply: reply, proofs: [token])
        }
    }

    func answer(_ challenge: Challenge) async throws -> Answer {
        guard case .code(_, let place) = challenge.ask else {
            throw AuthError(.configuration(.unsupported), "It shows no such question.")
        }
        try Task.checkCancellation()
        let token = state.withLock { state in
            state.count += 1
            return "t\(state.count)-ab-\(challenge.id)"
        }
        let found = Locked<Answer?>(nil)
        let isThere = Latch()
        let answer = try await LocalServer.with { [fault] request in
            .answer(Self.page(for: request, token, place ?? "", fault, found, isThere))
        } during: { server in
            state.withLock { $0.pages[challenge.id] = "\(server.url)/\(token)" }
            defer { state.withLock { $0.pages[challenge.id] = nil } }
            try await isThere.wait()
            // The thanks are on their way.
            try await Task.sleep(for: .milliseconds(50))
            return found.withLock { $0 }
        }
        return answer ?? .declined
    }

    private static func page(
        for request: LocalServer.Request, _ token: String, _ place: String, _ fault: Fault?, _ found: Locked<Answer?>,
        _ isThere: Latch
    ) -> TransportResponse {
        let host = request.fields["Host"] ?? ""
        let origin = request.fields["Origin"] ?? ""
        guard host.hasPrefix("127.0.0.1:"), !host.contains("evil") else { return TransportResponse(status: 403) }
        let hasToken = request.path == "/\(token)" || fault == .anyToken
        guard hasToken else { return TransportResponse(status: 404) }
        guard request.method == "POST" else {
            let text = fault == .markup ? place : place.filter(\.isLetter)
            return TransportResponse(status: 200, body: Array("<p>\(text)</p>".utf8))
        }
        guard origin == "http://\(host)" || fault == .anyOrigin else { return TransportResponse(status: 403) }
        let parts = String(decoding: request.body, as: UTF8.self).split(separator: "=").map(String.init)
        guard parts.count == 2, parts[0] == token || fault == .anyToken else { return TransportResponse(status: 403) }
        let isFirst = found.withLock { found in
            defer { if found == nil { found = parts[1] == "no" ? .declined : .code(Secret(parts[1])) } }
            return found == nil
        }
        isThere.open()
        guard isFirst || fault == .bothTaken else { return TransportResponse(status: 409) }
        return TransportResponse(status: 200, body: fault == .typedShown ? Array(parts[1].utf8) : [])
    }
}
