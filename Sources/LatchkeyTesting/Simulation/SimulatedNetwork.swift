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
        /// It arrives twice; the first answer comes back.
        case duplicated
    }

    private struct State {
        var random: SplitMix
        var trouble = 0
        var underway: [String: [Bool]] = [:]
        var counts: [Fate: Int] = [:]
        var sent = 0
        /// Families whose service acted while the answer was lost on the way.
        var lossy: Set<Int> = []
        var violations: [String] = []
        var told: (@Sendable (String) -> Void)?
    }

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
        let (fate, there, back) = draw(deadline)
        if fate == .notSent { throw TransportError(.unreachable, wasSent: false) }
        let exchange = Exchange()
        let bearer = request.fields["Authorization"].map { String($0.dropFirst("Bearer ".count)) }
        let token = bearer ?? request.body.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let isVerification = request.url.hasSuffix("/verify")
        let isRefresh = isVerification || request.url.hasSuffix("/token")
        if isRefresh { depart(token, isVerification) }
        let begun = machine.now
        machine.at(begun + there) { [self] in
            let response = arrive(request, token, fate, from: process, exchange)
            if isRefresh {
                let told = state.withLock { state in
                    let index = state.underway[token]?.firstIndex(of: isVerification)
                    if let index { state.underway[token]?.remove(at: index) }
                    return state.told
                }
                told?(token)
            }
            guard let response else { return }
            machine.at(machine.now + back) { [self] in
                // Too late for whoever asked: a machine that slept, or a process that is gone.
                if exchange.isOver, response.status == 200 { service.family(ofRefreshToken: token).map(noteLoss) }
                exchange.end(.success(response))
            }
        }
        let timer = machine.at(begun + deadline) { exchange.end(.failure(TransportError(.timedOut, wasSent: true))) }
        defer { machine.cancel(timer) }
        let response = try await exchange.value()
        if process.isKilled { throw TransportError(.interrupted, wasSent: true) }
        return response
    }

    private func draw(_ deadline: Duration) -> (Fate, Duration, Duration) {
        state.withLock { state in
            var fate = Fate.answered
            if state.random.happens(state.trouble) {
                fate = Fate.allCases[1 + state.random.below(Fate.allCases.count - 1)]
            }
            state.counts[fate, default: 0] += 1
            state.sent += 1
            // Mostly quick; now and then as late as a request may arrive.
            let isSlow = state.trouble > 0 && state.random.happens(100)
            let there =
                isSlow ? deadline * state.random.below(1_000) / 1_000 : .milliseconds(1 + state.random.below(40))
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
                case .fixed, .mints: true
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
        case .page: return TransportResponse(status: 200, body: Array("<html>".utf8))
        case .portal: return TransportResponse(status: 401, body: Array("<html>".utf8))
        case .answered, .notSent, .answerLost, .failedAfter, .truncated, .duplicated: break
        }
        let response = act(request.url, token)
        if fate == .duplicated {
            _ = act(request.url, token)
            service.family(ofRefreshToken: token).map(noteLoss)
        }
        let isAnswered = fate == .answered || fate == .duplicated
        let isHeard = isAnswered && !process.isKilled && !exchange.isOver
        if !isHeard, response.status == 200, let family = service.family(ofRefreshToken: token) { noteLoss(family) }
        if isAnswered, request.url.hasSuffix("/signin") {
            service.noteKnown(String(decoding: response.body.prefix { $0 != 0x20 }, as: UTF8.self))
        }
        switch fate {
        case .answerLost: return nil
        case .failedAfter: return TransportResponse(status: 500)
        case .truncated: return TransportResponse(status: response.status, body: Array(response.body.prefix(3)))
        default: return response
        }
    }
}

@available(macOS 15, iOS 18, *)
extension SimulatedNetwork {
    private func act(_ url: String, _ token: String) -> TransportResponse {
        switch url.split(separator: "/").last {
        case "token": service.refresh(token)
        case "verify": service.verify(token)
        case "revoke": service.revoke(token)
        case "signin": service.signIn(token)
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
