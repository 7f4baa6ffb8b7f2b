import Latchkey
import LatchkeyHTTPServer
import LatchkeyLocked

/// Decides how to answer the requests that come to the listener.
final class Desk: Sendable {
    private struct State {
        var visit: Visit?
        var arrival = Arrival()
        /// The redirects that were accepted. If they prove nothing, there may be several, each only once.
        var taken: [Secret] = []

        var isOver: Bool {
            guard let visit else { return false }
            return taken.count >= (visit.proof == .none ? Desk.mostTries : 1)
        }
    }

    /// The most redirects that are passed on for one visit if they prove nothing.
    static let mostTries = 16

    /// The port, once the server has it.
    let port = Locked<UInt16>(0)
    /// The path of the redirect.
    let path: String
    /// The path at which a visit begins. It cannot be guessed.
    let start: String
    private let state = Locked(State())

    init(path: String, start: String) {
        self.path = path
        self.start = start
    }

    /// The redirects of the open visit.
    var arrival: Arrival { state.withLock { $0.arrival } }

    /// Whether another redirect of the open visit is worth waiting for.
    var expectsMore: Bool { state.withLock { !$0.isOver || $0.arrival.hasMore } }

    /// Starts to wait for `visit`; `false` if it is waiting for it already.
    func open(_ visit: Visit) -> Bool {
        state.withLock { state in
            guard state.visit != visit else { return false }
            state = State(visit: visit)
            return true
        }
    }

    /// Answers a request.
    func answer(_ request: ServerRequest) -> ServerResponse {
        // Another host name means that a web page has pointed its own domain here.
        guard request.count(ofField: "Host") == 1, request.field("Host") == authority else { return Page.refusal(421) }
        let isStart = Secret(request.path) == Secret(start)
        guard isStart || Secret(request.path) == Secret(path) else { return Page.refusal(404) }
        guard request.method == "GET" else { return Page.refusal(405) }
        // An image, frame or script of a web page is not a person who comes here.
        guard request.says("Sec-Fetch-Mode", "navigate"), request.says("Sec-Fetch-Dest", "document") else {
            return Page.refusal(403)
        }
        return isStart ? begin(request) : end(request)
    }

    private var authority: String { "127.0.0.1:\(port.withLock { $0 })" }

    /// Sends the browser to the service, every time it asks, because browsers prefetch and people reload.
    private func begin(_ request: ServerRequest) -> ServerResponse {
        let (url, isOver) = state.withLock { ($0.visit?.url, $0.isOver) }
        guard let url else { return Page.refusal(404) }
        guard !isOver else { return Page.over.response(in: request.language) }
        return Page.guarded(.redirect(to: url.revealText()))
    }

    private func end(_ request: ServerRequest) -> ServerResponse {
        let size = request.rawTarget.utf8.count - path.utf8.count - 1
        guard size > 0, !request.queryPairs.isEmpty else { return Page.refusal(404) }
        guard size <= LoopbackListener.queryCap else { return Page.refusal(414) }
        let address = Secret("http://\(authority)\(request.rawTarget)")
        enum Judgement { case foreign, over, known, new(Arrival) }
        let (judgement, proof) = state.withLock { state -> (Judgement, Visit.Proof?) in
            guard let visit = state.visit, visit.accepts(request.queryPairs) else { return (.foreign, nil) }
            if visit.proof == .none, state.taken.contains(address) { return (.known, visit.proof) }
            guard !state.isOver else { return (.over, visit.proof) }
            state.taken.append(address)
            return (.new(state.arrival), visit.proof)
        }
        let isFailure = request.queryPairs.contains { $0.name == "error" }
        let page: Page = isFailure ? proof == Visit.Proof.none ? .doubtful : .failed : .arrived
        switch judgement {
        case .foreign: return Page.refusal(404)
        case .over: return Page.over.response(in: request.language)
        case .known: return page.response(in: request.language)
        case .new(let arrival):
            var response = page.response(in: request.language)
            // Deliver only now, so that the page is sent before the engine closes the listener.
            response.whenDone = { arrival.deliver(address) }
            return response
        }
    }
}

extension ServerRequest {
    /// Whether every field called `name` is `value`, which is also true without the field, as with older browsers.
    fileprivate func says(_ name: String, _ value: String) -> Bool {
        fields.allSatisfy { $0.name.lowercased() != name.lowercased() || $0.value == value }
    }

    /// The language of the person who sent the request.
    fileprivate var language: PageLanguage { PageLanguage(accepting: field("Accept-Language")) }
}
