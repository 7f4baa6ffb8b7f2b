import Latchkey
import LatchkeyHTTPServer
import LatchkeySystem

/// Decides how to answer the requests that come to the listener.
///
/// The browser that brings a redirect waits for the end of the sign-in, and reads what that was. If it takes long,
/// the browser is shown that it goes on, and asks again by itself.
final class RedirectInbox: Sendable {
    private struct State {
        var visit: Visit?
        var arrival = Arrival()
        /// The redirects that were accepted. If they prove nothing, there may be several, each only once.
        var taken: [Return] = []
        /// The redirect that the engine has now; `nil` if the person pasted the address.
        var current: Return?
        /// What else browsers came back with. The person reads each kind once, since a web page can repeat it.
        var strays: Set<StrayRedirect> = []

        var isOver: Bool {
            guard let visit else { return false }
            return taken.count >= (visit.proof == .none ? RedirectInbox.mostTries : 1)
        }
    }

    /// A redirect that was accepted.
    private struct Return {
        var address: Secret
        /// The path at which its browser asks for the end. It cannot be guessed.
        var place: String
        let ending = Ending()
    }

    /// The most redirects that are passed on for one visit if they prove nothing.
    static let mostTries = 16
    /// How long a browser waits for the end before it is shown that the sign-in goes on; and how long when it asks
    /// again. Both times it is answered at once when the end is there.
    static let firstWait = Duration.seconds(2)
    static let nextWait = Duration.seconds(20)
    /// How long the sign-in waits for browsers that are still to read its end.
    static let lastWait = Duration.seconds(2)

    /// Where the redirect comes back to, with its port once the server has it.
    let place = Locked(LoopbackRedirect())
    /// The path at which a redirect comes: a browser asks for `/` where the redirect has none.
    private let path: String
    /// The path at which a visit begins. It cannot be guessed.
    let start: String
    private let app: String?
    private let canPaste: Bool
    private let stray: @Sendable (StrayRedirect) -> Void
    private let context: PluginContext
    private let deliveries = Deliveries()
    private let state = Locked(State())

    init(
        path: String, app: String?, canPaste: Bool = false, context: PluginContext,
        stray: @escaping @Sendable (StrayRedirect) -> Void = { _ in }
    ) {
        self.path = path.isEmpty ? "/" : path
        self.app = app
        self.canPaste = canPaste
        self.stray = stray
        self.context = context
        start = "/" + context.randomName()
    }

    /// Whether the engine has a redirect that a browser brought.
    var hasCurrent: Bool { state.withLock { $0.current != nil } }

    /// Whether a redirect of the open visit waits for its turn.
    var hasMore: Bool { state.withLock { $0.arrival.hasMore } }

    /// Whether another redirect of the open visit is worth waiting for.
    var expectsMore: Bool { state.withLock { !$0.isOver || $0.arrival.hasMore } }

    /// Starts to wait for `visit`; `false` if it is waiting for it already.
    func open(_ visit: Visit) -> Bool {
        let former = state.withLock { state -> [Return]? in
            guard state.visit != visit else { return nil }
            defer { state = State(visit: visit) }
            return state.taken
        }
        former?.forEach { $0.ending.settle(.goesOn) }
        return former != nil
    }

    /// Waits for the next redirect of the open visit.
    ///
    /// - Throws: `CancellationError`. You can wait again after it.
    func next() async throws -> Secret {
        let arrival = state.withLock { state in
            state.current = nil
            return state.arrival
        }
        let address = try await arrival.wait()
        state.withLock { state in state.current = state.taken.first { $0.address == address } }
        return address
    }

    /// Answers the browser whose redirect was refused, while the sign-in waits for another one.
    func refuse() { state.withLock { $0.current }?.ending.settle(.doubtful) }

    /// Answers every browser that waits: the one whose redirect counts with `page`, others with `rest`.
    func settle(_ page: Page, others rest: Page = .over) {
        let (current, taken) = state.withLock { ($0.current, $0.taken) }
        current?.ending.settle(page)
        for one in taken { one.ending.settle(rest) }
    }

    /// Returns when the last page was sent, or its browser seems to be gone.
    func finish() async {
        settle(.goesOn, others: .goesOn)
        await deliveries.wait(atMost: Self.lastWait, by: context.clock)
    }

    /// Notes that the server sends nothing any more.
    func stop() { deliveries.stop() }

    /// Answers a request.
    func answer(_ request: ServerRequest) async -> ServerResponse {
        if let kind = request.mark.flatMap(StrayRedirect.init) { return refuse(kind, request.visitor) }
        // Another host name means that a web page has pointed its own domain here, or that something on the way writes
        // its own name.
        let authority = place.withLock { $0.authority }
        guard request.count(ofField: "Host") == 1, request.field("Host")?.lowercased() == authority else {
            return arrives(request.visitor) ? refuse(.otherHost, request.visitor) : Page.refusal(421)
        }
        let asked = Secret(request.path)
        let waits = state.withLock { state in state.taken.first { Secret($0.place) == asked } }
        guard waits != nil || asked == Secret(start) || asked == Secret(path) else { return Page.refusal(404) }
        let isForm = request.method == "POST" && asked == Secret(path)
        guard request.method == "GET" || isForm else { return Page.refusal(405) }
        // An image, frame or script of a web page is not a person who comes here.
        guard request.visitor.isPerson else { return Page.refusal(403) }
        if isForm { return strange(.form, request) }
        if let waits { return await end(of: waits, within: Self.nextWait, for: request) }
        return asked == Secret(start) ? begin(request) : await take(request)
    }

    /// Sends the browser to the service, every time it asks, because browsers prefetch and people reload.
    private func begin(_ request: ServerRequest) -> ServerResponse {
        let (url, isOver) = state.withLock { ($0.visit?.url, $0.isOver) }
        guard let url else { return Page.refusal(404) }
        guard !isOver else { return Page.over.response(in: request.language, app: app) }
        return Page.guarded(.redirect(to: url.revealText()))
    }

    private func take(_ request: ServerRequest) async -> ServerResponse {
        let size = request.rawTarget.utf8.count - path.utf8.count - 1
        let isBare = size <= 0 && state.withLock { $0.visit?.accepts([]) ?? false }
        guard isBare || (size > 0 && !request.queryPairs.isEmpty) else { return strange(.withoutAnswer, request) }
        guard size <= LoopbackListener.queryCap else { return strange(.tooLong, request) }
        enum Judgement { case foreign, over, known(Return), new(Return, Arrival) }
        let origin = place.withLock { $0.origin }
        let new = Return(address: Secret("\(origin)\(request.rawTarget)"), place: "/" + context.randomName())
        let judgement = state.withLock { state -> Judgement in
            guard let visit = state.visit, visit.accepts(request.queryPairs) else { return .foreign }
            if let known = state.taken.first(where: { $0.address == new.address }) { return .known(known) }
            guard !state.isOver else { return .over }
            state.taken.append(new)
            return .new(new, state.arrival)
        }
        switch judgement {
        case .foreign: return strange(StrayRedirect(request), request)
        case .over: return Page.over.response(in: request.language, app: app)
        case .known(let known): return await end(of: known, within: Self.firstWait, for: request)
        case .new(let new, let arrival):
            // Counted before the engine knows of it, and so before it closes the listener.
            deliveries.begin()
            arrival.deliver(new.address)
            defer { deliveries.end() }
            return await end(of: new, within: Self.firstWait, for: request)
        }
    }

    /// Answers a browser that came back with something else, and tells the person, while a visit waits.
    private func strange(_ kind: StrayRedirect, _ request: ServerRequest) -> ServerResponse {
        let (waits, isNews) = state.withLock { state in
            guard let visit = state.visit, !state.isOver else { return (false, false) }
            // Without a proof, what is not an answer may be anything.
            guard visit.proof != .none || kind != .otherSignIn else { return (false, false) }
            return (true, state.strays.insert(kind).inserted)
        }
        guard waits else { return Page.refusal(kind.status) }
        if isNews { stray(kind) }
        return Page.stray(kind).response(in: request.language, app: app)
    }

    /// Answers a request that the server refuses by itself; `nil` to leave that to the server.
    @Sendable func refuse(_ refusal: ServerRefusal) -> ServerResponse? {
        let visitor = Visitor(target: refusal.target, fields: refusal.fields)
        if let kind = refusal.mark.flatMap(StrayRedirect.init) { return refuse(kind, visitor) }
        guard arrives(visitor) else { return nil }
        switch refusal.status {
        case 400: return refuse(.unreadable, visitor)
        case 413: return refuse(.form, visitor)
        case 414: return refuse(.tooLong, visitor)
        case 431: return refuse(.longHead, visitor)
        default: return nil
        }
    }

    /// Whether a person's browser comes to one of the two addresses that the sign-in has.
    private func arrives(_ visitor: Visitor) -> Bool {
        let asked = Secret(visitor.path)
        return visitor.isPerson && (asked == Secret(path) || asked == Secret(start))
    }

    /// Answers a browser that is not listened to, and tells the person, while a visit waits. Its page names
    /// neither the app nor the person, because any program may read it.
    private func refuse(_ kind: StrayRedirect, _ visitor: Visitor) -> ServerResponse {
        let isNews = state.withLock { state in
            guard state.visit != nil, !state.isOver, arrives(visitor) else { return false }
            return state.strays.insert(kind).inserted
        }
        if isNews { stray(kind) }
        let page = kind.isRefusal ? Page.refused(kind, canPaste: canPaste && kind.canPaste) : .stray(kind)
        return page.response(in: visitor.language, app: nil)
    }

    /// Answers a browser that waits for the end of its redirect.
    private func end(of one: Return, within limit: Duration, for request: ServerRequest) async -> ServerResponse {
        deliveries.begin()
        if one.ending.redeem() { deliveries.end() }
        let page = await one.ending.page(within: limit, by: context.clock)
        var response = (page ?? .finishing(one.place)).response(in: request.language, app: app)
        response.whenDone = { [deliveries] in
            // Who was only told to wait is still to read the end.
            guard page == nil, one.ending.owe() else { return deliveries.end() }
        }
        return response
    }
}
