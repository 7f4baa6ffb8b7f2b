import FoundationEssentials
public import Latchkey
import LatchkeySystem

/// The network between simulated processes and a simulated service. It delays and loses messages,
/// and lets others answer.
@available(macOS 15, iOS 18, *)
public final class SimulatedNetwork: Sendable {
    /// What happens to a request.
    public enum Fate: String, CaseIterable, Sendable {
        /// The service acts on it and answers.
        case answered
        /// There is no connection.
        case notSent
        /// It never arrives.
        case requestLost
        /// The service acts on it, but the answer never arrives.
        case answerLost
        /// A gateway answers 502 with HTML; the service never sees the request.
        case gateway
        /// The service answers 500 before doing anything.
        case failedBefore
        /// The service answers 500 after acting on it.
        case failedAfter
        /// The service answers 429 with `Retry-After`.
        case rateLimited
        /// 400 without a body; the service never sees the request.
        case empty
        /// The service acts on it, but the answer is cut off.
        case truncated
        /// 200 with somebody else's page; the service never sees the request.
        case page
        /// 401 with HTML; the service never sees the request.
        case portal
        /// 400 with an error of RFC 6749 that says nothing about the token: nothing was issued.
        case requestRefused
        /// It arrives twice, and the first answer comes back.
        case duplicated
        /// The service acts on it. The refresh token of its answer is good, and the rest disagrees with the session.
        case disagrees

        /// The fates that are drawn first, in this order: all except `answered`, `requestRefused` and `disagrees`.
        fileprivate static let drawn = allCases.filter { ![.answered, .requestRefused, .disagrees].contains($0) }
    }

    /// The longest that a client waits for a service that tolerates reuse.
    private static let patience = Duration.seconds(10)

    private struct State {
        var random: SplitMix
        var isUncovered = false
        /// What happens to requests on their way, and when: each arrives, or no longer can.
        var ends: [(at: MonotonicInstant, happen: @Sendable () -> Void)] = []
        /// The value of ``setSlow(by:)``.
        var slowness: Duration?
        var isDown = false
        var restsUntil: MonotonicInstant?
        var trouble = 0
        var underway: [String: [UnderWay]] = [:]
        /// How often a token was sent again while a request that nobody waited for was still on its way: the service took
        /// longer than it had before.
        var overtaken = 0
        var counts: [Fate: Int] = [:]
        var sent = 0
        /// Families for which the service acted while the answer was lost.
        var lossy: Set<Int> = []
        var violations: [String] = []
        var told: (@Sendable (String, _ process: Int) -> Void)?
    }

    /// How long the service may still act on a slow request after its client has gone. A client's
    /// mark lasts twice the interval between its renewals: this is half of what a mark lasts, minus
    /// the time that storing a renewal takes.
    private static let reach = Duration.seconds(4)

    private let machine: SimulatedMachine
    private let service: SimulatedService
    private let state: Locked<State>

    /// Creates a network to `service`. Fates are drawn from `seed`.
    public init(_ machine: SimulatedMachine, to service: SimulatedService, seed: UInt64) {
        self.machine = machine
        self.service = service
        state = Locked(State(random: SplitMix(seed: seed)))
    }

    /// Draws further fates from `seed`.
    public func reseed(_ seed: UInt64) { state.withLock { $0.random = SplitMix(seed: seed) } }

    /// Sets how many requests in a thousand are not simply answered.
    public func setTrouble(_ thousandths: Int) { state.withLock { $0.trouble = thousandths } }

    /// Delays the next request whose client waits for longer than `duration`; `nil` delays none.
    public func setSlow(by duration: Duration?) { state.withLock { $0.slowness = duration } }

    /// Sets whether nothing gets through: a request finds no connection, or never arrives.
    public func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

    /// Lets the service answer every request before `instant` with 429 and `Retry-After`; `nil` ends this.
    public func setRest(until instant: MonotonicInstant?) { state.withLock { $0.restsUntil = instant } }

    /// Sets whether the store has been rejecting writes: then the mark of a request under way may have grown old.
    public func setUncovered(_ isUncovered: Bool) { state.withLock { $0.isUncovered = isUncovered } }

    /// Calls `told` with each refresh token whose request has arrived, or never will, and the process that sent it.
    public func observe(_ told: @escaping @Sendable (String, _ process: Int) -> Void) {
        state.withLock { $0.told = told }
    }

    /// How often a token was sent again before the service had acted on a request that nobody waited for.
    public var overtaken: Int { state.withLock { $0.overtaken } }

    /// How often each fate was met.
    public var counts: [Fate: Int] { state.withLock { $0.counts } }

    /// Rules that were broken on the wire.
    public var violations: [String] { state.withLock { $0.violations } }

    /// Whether the service acted for the family while its client could not receive the answer.
    public func isLossy(_ family: Int) -> Bool { state.withLock { $0.lossy.contains(family) } }

    /// Notes that an answer for the family reached a process that could not store it.
    public func noteLoss(_ family: Int) { state.withLock { _ = $0.lossy.insert(family) } }

    /// Returns the transport of a process.
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
        catchUp()
        let (fate, there, back) = draw(deadline)
        if fate == .notSent { throw TransportError(.unreachable, wasSent: false) }
        let exchange = Exchange()
        let bearer = request.fields["Authorization"].map { String($0.dropFirst("Bearer ".count)) }
        let token = bearer ?? request.body.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let isVerification = request.url.hasSuffix("/verify")
        let isRefresh = isVerification || request.url.hasSuffix("/token")
        if isRefresh { depart(token, isVerification, exchange, of: process.number) }
        let begun = machine.now
        let isOver = Locked(false)
        let finish: @Sendable () -> Bool = { [weak self] in
            let isFirst = isOver.withLock { isOver in
                defer { isOver = true }
                return !isOver
            }
            if isFirst, isRefresh { self?.end(token, exchange, of: process.number) }
            return isFirst
        }
        if there > Self.patience {
            // The service no longer acts on a request whose client has been gone for this long. If
            // the store took no renewals, the request ends immediately.
            process.whenKilled { [self] in
                happen(at: machine.now + (state.withLock { $0.isUncovered } ? .zero : Self.reach)) { _ = finish() }
            }
        }
        happen(at: begun + there) { [weak self] in
            guard let self, !isOver.withLock({ $0 }) else { return }
            let response = arrive(request, token, fate, from: process, exchange)
            _ = finish()
            guard let response else { return }
            machine.at(machine.now + back) { [self] in
                // Too late for the caller: the machine slept, or the process is gone.
                if exchange.isOver, response.status == 200 { losers(request, token).forEach(noteLoss) }
                exchange.end(.success(response))
            }
        }
        process.whenKilled { [machine] in exchange.leave(at: machine.now) }
        defer { exchange.leave(at: machine.now) }
        let timer = machine.at(begun + deadline) { exchange.end(.failure(TransportError(.timedOut, wasSent: true))) }
        defer { machine.cancel(timer) }
        let response = try await exchange.value()
        if process.isKilled { throw TransportError(.interrupted, wasSent: true) }
        return response
    }

    /// How many seconds the service still wants to be left alone.
    private func rest() -> Int64? {
        let (until, now) = (state.withLock { $0.restsUntil }, machine.now)
        guard let until, now < until else { return nil }
        let (seconds, attoseconds) = (until - now).components
        return seconds + (attoseconds > 0 ? 1 : 0)
    }

    /// Lets `body` happen at `instant`. It must have no effect the second time.
    private func happen(at instant: MonotonicInstant, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.ends.append((instant, body)) }
        machine.at(instant, body)
    }

    /// The service does not sleep with the machine. What was due meanwhile happens before anything
    /// else is sent, in whatever order the timers of a waking machine fire.
    private func catchUp() {
        let now = machine.now
        let due = state.withLock { state in
            defer { state.ends.removeAll { $0.at <= now } }
            return state.ends.filter { $0.at <= now }.sorted { $0.at < $1.at }
        }
        for end in due { end.happen() }
    }

    /// Notes that a request with that token has arrived, or never will.
    private func end(_ token: String, _ exchange: Exchange, of process: Int) {
        let told = state.withLock { state in
            state.underway[token]?.removeAll { $0.exchange === exchange }
            return state.told
        }
        told?(token, process)
    }

    private func draw(_ deadline: Duration) -> (Fate, Duration, Duration) {
        state.withLock { state in
            var fate = Fate.answered
            if state.random.happens(state.trouble) {
                fate = Fate.drawn[state.random.below(Fate.drawn.count)]
                // Drawn separately, so that recorded seeds from before this fate existed give the same run.
                if fate == .empty, state.random.happens(500) { fate = .requestRefused }
            }
            // Not drawn, for the same reason: every other request.
            if fate == .truncated, state.sent.isMultiple(of: 2) { fate = .disagrees }
            if state.isDown { fate = state.sent % 4 == 3 ? .requestLost : .notSent }
            state.counts[fate, default: 0] += 1
            state.sent += 1
            // Mostly quick; now and then as late as a request may arrive.
            let isSlow = state.trouble > 0 && state.random.happens(100)
            var there =
                isSlow
                ? min(deadline, Self.patience) * state.random.below(1_000) / 1_000
                : .milliseconds(1 + state.random.below(40))
            // A client that waits longer meets services that use that time.
            if isSlow, deadline > Self.patience, state.random.happens(700) {
                there = deadline * state.random.below(1_000) / 1_000
            }
            if let slowness = state.slowness, slowness < deadline {
                (state.slowness, there) = (nil, slowness)
                if fate == .notSent, !state.isDown { fate = .answered }
            }
            return (fate, there, .milliseconds(1 + state.random.below(40)))
        }
    }

    /// Law 1, checked on the wire: no refresh token is sent while an earlier request with it may still arrive. One that
    /// nobody waits for is given the time that the service usually takes, a second at least. A service that is slower
    /// than that has two requests, and the session may be lost by that.
    private func depart(_ token: String, _ isVerification: Bool, _ exchange: Exchange, of process: Int) {
        let family = service.family(ofRefreshToken: token)
        state.withLock { state in
            let all = state.underway[token] ?? []
            let others = all.filter { !$0.exchange.wasLeft(before: machine.now, by: .seconds(1)) }
            let forgives = service.reuseInterval.map { $0 > .zero } ?? false
            let isHarmless =
                switch service.kind {
                case .strict, .newSuccessor: false
                // The process that waits for a verification refreshes the session meanwhile, if the service forgives that.
                case .sameSuccessor:
                    !isVerification
                        && others.allSatisfy { !$0.isVerification || $0.process == process && forgives }
                case .fixed, .mints, .shares: true
                }
            if !others.isEmpty, !isHarmless {
                state.violations.append("law 1: the refresh token \(token) was sent while it was under way already")
            }
            if service.rotates, others.count < all.count, let family {
                state.overtaken += 1
                state.lossy.insert(family)
            }
            state.underway[token, default: []].append(
                UnderWay(exchange: exchange, isVerification: isVerification, process: process))
        }
    }

    private func arrive(
        _ request: TransportRequest, _ token: String, _ fate: Fate, from process: SimulatedProcess, _ exchange: Exchange
    ) -> TransportResponse? {
        if fate != .requestLost, let rest = rest() {
            return TransportResponse(status: 429, fields: ["Retry-After": "\(rest)"])
        }
        switch fate {
        case .requestLost: return nil
        case .gateway: return TransportResponse(status: 502, body: Array("<html>".utf8))
        case .failedBefore: return TransportResponse(status: 500)
        case .rateLimited: return TransportResponse(status: 429, fields: ["Retry-After": "7"])
        case .empty: return TransportResponse(status: 400)
        case .requestRefused: return TransportResponse(status: 400, body: Array("invalid_request".utf8))
        case .page: return TransportResponse(status: 200, body: Array("<html>".utf8))
        case .portal: return TransportResponse(status: 401, body: Array("<html>".utf8))
        case .answered, .notSent, .answerLost, .failedAfter, .truncated, .duplicated, .disagrees: break
        }
        let response = act(request.url, token)
        if fate == .duplicated {
            _ = act(request.url, token)
            losers(request, token).forEach(noteLoss)
        }
        // Only a refresh has a session to disagree with.
        let disagrees = fate == .disagrees && service.kind != .shares && !request.url.hasSuffix("/signin")
        let isAnswered = fate == .answered || fate == .duplicated || disagrees
        let isHeard = isAnswered && !process.isKilled && !exchange.isOver
        if !isHeard, response.status == 200 { losers(request, token).forEach(noteLoss) }
        if isAnswered, request.url.hasSuffix("/signin") {
            let text = String(decoding: response.body, as: UTF8.self)
            service.noteKnown(service.kind == .shares ? text : String(text.prefix { $0 != " " }))
        }
        switch fate {
        case .answerLost: return nil
        // If any answer may replace the long-lived token, an answer that refuses does so too.
        case .failedAfter where service.kind == .mints && !request.url.hasSuffix("/signin"),
            .failedAfter where service.kind == .shares:
            return TransportResponse(status: 500, body: response.status == 200 ? response.body : [])
        case .failedAfter: return TransportResponse(status: 500)
        case .disagrees where disagrees:
            guard response.status == 200, !response.body.isEmpty else { return response }
            return TransportResponse(status: 200, body: response.body + Array(" disagrees".utf8))
        case .truncated, .disagrees:
            return TransportResponse(status: response.status, body: Array(response.body.prefix(3)))
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
        // Any other address is a resource of an API.
        default: TransportResponse(status: service.accepts(token) ? 200 : 401)
        }
    }
}

/// A request that may still arrive.
private struct UnderWay {
    let exchange: Exchange
    let isVerification: Bool
    let process: Int
}

/// An answer that somebody is waiting for.
private final class Exchange: Sendable {
    private struct State {
        /// Since when nobody waits.
        var left: MonotonicInstant?
        var result: Result<TransportResponse, any Error>?
        var waiter: CheckedContinuation<TransportResponse, any Error>?
    }

    private let state = Locked(State())

    var isOver: Bool { state.withLock { $0.result != nil } }

    func leave(at instant: MonotonicInstant) { state.withLock { $0.left = $0.left ?? instant } }

    /// Whether nobody has waited for it for `time` at `instant`.
    func wasLeft(before instant: MonotonicInstant, by time: Duration) -> Bool {
        state.withLock { $0.left.map { instant - $0 >= time } ?? false }
    }

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
