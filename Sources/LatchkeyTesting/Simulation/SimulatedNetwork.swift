import FoundationEssentials
public import Latchkey
import LatchkeyLocked

/// What lies between simulated processes and a simulated service: it delays, loses, and puts others in the way.
@available(macOS 15, iOS 18, *)
public final class SimulatedNetwork: Sendable {
    /// What becomes of a request.
    public enum Fate: String, CaseIterable, Sendable {
        /// Acted on, and answered.
        case answered
        /// There is no connection.
        case notSent
        /// It never arrives.
        case requestLost
        /// Acted on; the answer never arrives.
        case answerLost
        /// A gateway answers 502 with HTML; the service never sees it.
        case gateway
        /// 500 before anything was done.
        case failedBefore
        /// 500 after it was acted on.
        case failedAfter
        /// 429 with `Retry-After`.
        case rateLimited
        /// 400 without a content; the service never sees it.
        case empty
        /// Acted on; the answer is cut off.
        case truncated
        /// 200 with somebody else's page; the service never sees it.
        case page
        /// 401 with HTML; the service never sees it.
        case portal
        /// 400 with an error of RFC 6749 that says nothing about the token: nothing was issued.
        case requestRefused
        /// It arrives twice; the first answer comes back.
        case duplicated

        /// Those that are drawn first: every one but the answer, in the order in which they came.
        fileprivate static let drawn = allCases.filter { $0 != .answered && $0 != .requestRefused }
    }

    /// The longest that a client waits for a service that forgives.
    private static let patience = Duration.seconds(10)

    private struct State {
        var random: SplitMix
        var isUncovered = false
        /// Requests whose clients are dead: until when the service may act on each, and what ends it.
        var orphans: [(until: MonotonicInstant, end: @Sendable () -> Bool)] = []
        /// What ``setSlow(by:)`` said.
        var slowness: Duration?
        var trouble = 0
        var underway: [String: [Bool]] = [:]
        var counts: [Fate: Int] = [:]
        var sent = 0
        /// Families whose service acted while the answer was lost on the way.
        var lossy: Set<Int> = []
        var violations: [String] = []
        var told: (@Sendable (String) -> Void)?
    }

    /// How long after its client has gone the service may act on a request that it was slow with: half of what a mark
    /// lasts, which is how far apart its renewals are, less what storing one takes.
    private static let reach = Duration.seconds(4)

    private let machine: SimulatedMachine
    private let service: SimulatedService
    private let state: Locked<State>

    /// A network to `service` whose fates are drawn from `seed`.
    public init(_ machine: SimulatedMachine, to service: SimulatedService, seed: UInt64) {
        self.machine = machine
        self.service = service
        state = Locked(State(random: SplitMix(seed: seed)))
    }

    /// Draws further fates from `seed`.
    public func reseed(_ seed: UInt64) { state.withLock { $0.random = SplitMix(seed: seed) } }

    /// How many requests in a thousand meet another fate than being answered.
    public func setTrouble(_ thousandths: Int) { state.withLock { $0.trouble = thousandths } }

    /// Makes the way to the service so long for the next request whose client waits for longer; `nil`: for none.
    public func setSlow(by duration: Duration?) { state.withLock { $0.slowness = duration } }

    /// Whether the store has been taking nothing: then a mark may have grown old under a request that is under way.
    public func setUncovered(_ isUncovered: Bool) { state.withLock { $0.isUncovered = isUncovered } }

    /// Calls `told` with each refresh token whose request has arrived, or never will.
    public func observe(_ told: @escaping @Sendable (String) -> Void) { state.withLock { $0.told = told } }

    /// How often each fate was met.
    public var counts: [Fate: Int] { state.withLock { $0.counts } }

    /// What must not happen on the wire, and did.
    public var violations: [String] { state.withLock { $0.violations } }

    /// Whether the service acted for the family while its client could not hear the answer.
    public func isLossy(_ family: Int) -> Bool { state.withLock { $0.lossy.contains(family) } }

    /// Notes that an answer for the family reached a process that could not keep it.
    public func noteLoss(_ family: Int) { state.withLock { _ = $0.lossy.insert(family) } }

    /// The transport of a process.
    public func transport(of process: SimulatedProcess) -> some HTTPTransport { Wire(network: self, process: process) }

    fileprivate struct Wire: HTTPTransport {
        let network: SimulatedNetwork
        let process: SimulatedProcess

        func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
            guard !process.isKilled, deadline > .zero else { throw TransportError(.unreachable, wasSent: false) }
            return try await network.carry(request, deadline: deadline, from: process)
        }
    }

    private func carry(
        _ request: TransportRequest, deadline: Duration, from process: SimulatedProcess
    ) async throws -> TransportResponse {
        endOrphans()
        let (fate, there, back) = draw(deadline)
        if fate == .notSent { throw TransportError(.unreachable, wasSent: false) }
        let exchange = Exchange()
        let bearer = request.fields["Authorization"].map { String($0.dropFirst("Bearer ".count)) }
        let token = bearer ?? request.body.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let isVerification = request.url.hasSuffix("/verify")
        let isRefresh = isVerification || request.url.hasSuffix("/token")
        if isRefresh { depart(token, isVerification) }
        let begun = machine.now
        let isOver = Locked(false)
        let finish: @Sendable () -> Bool = { [self] in
            let isFirst = isOver.withLock { isOver in
                defer { isOver = true }
                return !isOver
            }
            if isFirst, isRefresh { end(token, isVerification) }
            return isFirst
        }
        if there > Self.patience {
            // Nobody acts on what a client sent that has been gone for so long; at once, where the store took no renewals.
            process.whenKilled { [self] in
                let until = machine.now + (state.withLock { $0.isUncovered } ? .zero : Self.reach)
                state.withLock { $0.orphans.append((until, finish)) }
                machine.at(until) { _ = finish() }
            }
        }
        machine.at(begun + there) { [self] in
            if isOver.withLock({ $0 }) { return }
            let response = arrive(request, token, fate, from: process, exchange)
            _ = finish()
            guard let response else { return }
            machine.at(machine.now + back) { [self] in
                // Too late for whoever asked: a machine that slept, or a process that is gone.
                if exchange.isOver, response.status == 200 { losers(request, token).forEach(noteLoss) }
                exchange.end(.success(response))
            }
        }
        let timer = machine.at(begun + deadline) { exchange.end(.failure(TransportError(.timedOut, wasSent: true))) }
        defer { machine.cancel(timer) }
        let response = try await exchange.value()
        if process.isKilled { throw TransportError(.interrupted, wasSent: true) }
        return response
    }

    /// The service does not sleep with the machine: what was due meanwhile is over before anything else is sent, in
    /// whatever order the timers of a machine that wakes up fire.
    private func endOrphans() {
        let now = machine.now
        let due = state.withLock { state in
            defer { state.orphans.removeAll { $0.until <= now } }
            return state.orphans.filter { $0.until <= now }
        }
        for orphan in due { _ = orphan.end() }
    }

    /// A request with that token has arrived, or never will.
    private func end(_ token: String, _ isVerification: Bool) {
        let told = state.withLock { state in
            let index = state.underway[token]?.firstIndex(of: isVerification)
            if let index { state.underway[token]?.remove(at: index) }
            return state.told
        }
        told?(token)
    }

    private func draw(_ deadline: Duration) -> (Fate, Duration, Duration) {
        state.withLock { state in
            var fate = Fate.answered
            if state.random.happens(state.trouble) {
                fate = Fate.drawn[state.random.below(Fate.drawn.count)]
                // Drawn apart, so that what was kept in writing before there was such a fate is the same.
                if fate == .empty, state.random.happens(500) { fate = .requestRefused }
            }
            state.counts[fate, default: 0] += 1
            state.sent += 1
            // Mostly quick; now and then as late as a request may arrive.
            let isSlow = state.trouble > 0 && state.random.happens(100)
            var there =
                isSlow
                ? min(deadline, Self.patience) * state.random.below(1_000) / 1_000
                : .milliseconds(1 + state.random.below(40))
            // A client that waits for longer finds services that take it.
            if isSlow, deadline > Self.patience, state.random.happens(700) {
                there = deadline * state.random.below(1_000) / 1_000
            }
            if let slowness = state.slowness, slowness < deadline {
                (state.slowness, there) = (nil, slowness)
                if fate == .notSent { fate = .answered }
            }
            return (fate, there, .milliseconds(1 + state.random.below(40)))
        }
    }

    /// Law 1, on the wire: no refresh token is sent while it may still be on its way from elsewhere.
    private func depart(_ token: String, _ isVerification: Bool) {
        state.withLock { state in
            let others = state.underway[token] ?? []
            let isHarmless =
                switch service.kind {
                case .strict, .newSuccessor: false
                case .sameSuccessor: !isVerification && !others.contains(true)
                case .fixed, .mints, .shares: true
                }
            if !others.isEmpty, !isHarmless {
                state.violations.append("law 1: the refresh token \(token) was sent while it was under way already")
            }
            state.underway[token, default: []].append(isVerification)
        }
    }

    private func arrive(
        _ request: TransportRequest, _ token: String, _ fate: Fate, from process: SimulatedProcess, _ exchange: Exchange
    ) -> TransportResponse? {
        switch fate {
        case .requestLost: return nil
        case .gateway: return TransportResponse(status: 502, body: Array("<html>".utf8))
        case .failedBefore: return TransportResponse(status: 500)
        case .rateLimited: return TransportResponse(status: 429, fields: ["Retry-After": "7"])
        case .empty: return TransportResponse(status: 400)
        case .requestRefused: return TransportResponse(status: 400, body: Array("invalid_request".utf8))
        case .page: return TransportResponse(status: 200, body: Array("<html>".utf8))
        case .portal: return TransportResponse(status: 401, body: Array("<html>".utf8))
        case .answered, .notSent, .answerLost, .failedAfter, .truncated, .duplicated: break
        }
        let response = act(request.url, token)
        if fate == .duplicated {
            _ = act(request.url, token)
            losers(request, token).forEach(noteLoss)
        }
        let isAnswered = fate == .answered || fate == .duplicated
        let isHeard = isAnswered && !process.isKilled && !exchange.isOver
        if !isHeard, response.status == 200 { losers(request, token).forEach(noteLoss) }
        if isAnswered, request.url.hasSuffix("/signin") {
            let text = String(decoding: response.body, as: UTF8.self)
            service.noteKnown(service.kind == .shares ? text : String(text.prefix { $0 != " " }))
        }
        switch fate {
        case .answerLost: return nil
        // Where any answer may replace the long-lived token, one that says no does so too.
        case .failedAfter where service.kind == .mints && !request.url.hasSuffix("/signin"),
            .failedAfter where service.kind == .shares:
            return TransportResponse(status: 500, body: response.status == 200 ? response.body : [])
        case .failedAfter: return TransportResponse(status: 500)
        case .truncated: return TransportResponse(status: response.status, body: Array(response.body.prefix(3)))
        default: return response
        }
    }
}

@available(macOS 15, iOS 18, *)
extension SimulatedNetwork {
    private func losers(_ request: TransportRequest, _ token: String) -> [Int] {
        service.losers(request.url.split(separator: "/").last.map(String.init) ?? "", token)
    }

    private func act(_ url: String, _ token: String) -> TransportResponse {
        switch url.split(separator: "/").last {
        case "token": service.refresh(token)
        case "verify": service.verify(token)
        case "revoke": service.revoke(token)
        case "signin": service.signIn(token)
        case "client": service.describe(token)
        case "code": TransportResponse(status: 200)
        // Anything else is a resource of an API.
        default: TransportResponse(status: service.accepts(token) ? 200 : 401)
        }
    }
}

/// An answer that somebody waits for.
private final class Exchange: Sendable {
    private struct State {
        var result: Result<TransportResponse, any Error>?
        var waiter: CheckedContinuation<TransportResponse, any Error>?
    }

    private let state = Locked(State())

    var isOver: Bool { state.withLock { $0.result != nil } }

    func end(_ result: Result<TransportResponse, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<TransportResponse, any Error>? in
            guard state.result == nil else { return nil }
            state.result = result
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(with: result)
    }

    func value() async throws -> TransportResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Result<TransportResponse, any Error>? in
                    if state.result == nil { state.waiter = continuation }
                    return state.result
                }
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            end(.failure(CancellationError()))
        }
    }
}
