import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// A service that takes a used refresh token for a while, or once, or never.
final class GraceService: Sendable {
    /// What it does with a used token.
    struct Kind: Hashable, Sendable, CustomStringConvertible {
        var name: String
        var rotates = true
        /// For how long it answers a used token.
        var interval: Duration?
        /// How often it does.
        var count: Int?
        /// Whether that answer brings another token, which takes the place of the one before.
        var renews = false
        /// What the client is told of it.
        var rule = SimulatedService.Kind.strict
        var known: Duration?

        var description: String { name }
    }

    static let kinds = [
        Kind(name: "strict"),
        // It is told to the client, since no wait is as short otherwise.
        Kind(name: "1 s", interval: .seconds(1), known: .seconds(1)),
        Kind(name: "5 s", interval: .seconds(5)),
        Kind(name: "10 s", interval: .seconds(10)),
        Kind(name: "60 s", interval: .seconds(60)),
        Kind(name: "5 s, another token", interval: .seconds(5), renews: true, rule: .newSuccessor),
        Kind(name: "60 s, another token", interval: .seconds(60), renews: true, rule: .newSuccessor),
        Kind(name: "10 s, as GoTrue", interval: .seconds(10), rule: .sameSuccessor),
        Kind(name: "once", count: 1),
        Kind(name: "no rotation", rotates: false, rule: .fixed),
    ]

    /// The tokens of the only sign-in.
    struct Family: Sendable {
        var kind: Kind
        var current = 0
        var previous: Int?
        var rotated = MonotonicInstant(nanoseconds: 0)
        var repeats = 0
        var issued = 0
        var isAlive = true

        /// Acts on `token` at `now`. Returns the token of the answer; `nil` is a refusal.
        mutating func act(_ token: Int, at now: MonotonicInstant) -> Int? {
            guard isAlive else { return nil }
            if token == current {
                guard kind.rotates else { return token }
                (previous, current, rotated, repeats) = (token, issued + 1, now, 0)
                issued += 1
                return current
            }
            guard token == previous, takesUsed(at: now) else {
                isAlive = false
                return nil
            }
            repeats += 1
            guard kind.renews else { return current }
            issued += 1
            current = issued
            return current
        }

        private func takesUsed(at now: MonotonicInstant) -> Bool {
            if let count = kind.count { return repeats < count }
            return kind.interval.map { now - rotated < $0 } ?? false
        }
    }

    private let state: Locked<Family>

    init(_ kind: Kind) { state = Locked(Family(kind: kind)) }

    var family: Family { state.withLock { $0 } }

    func act(_ token: Int, at now: MonotonicInstant) -> Int? { state.withLock { $0.act(token, at: now) } }
}

/// The way of a process to the service. The first refresh of the process that is interrupted takes as long as it is told to;
/// all others are quick.
struct GraceWire: HTTPTransport {
    let service: GraceService
    let machine: SimulatedMachine
    let process: SimulatedProcess
    /// `nil` for a process that nobody interrupts.
    let first: FirstRequest?

    /// The request that is cut off, and when the service has acted on it.
    final class FirstRequest: Sendable {
        private let state: Locked<(isTaken: Bool, acts: MonotonicInstant?)> = Locked((false, nil))
        let queue: Duration
        /// Whether its client loses the connection as it goes out, instead of being killed.
        let isCut: Bool

        init(queue: Duration, isCut: Bool) { (self.queue, self.isCut) = (queue, isCut) }

        var acts: MonotonicInstant? { state.withLock { $0.acts } }

        func take() -> Bool {
            state.withLock { state in
                defer { state.isTaken = true }
                return !state.isTaken
            }
        }

        func note(_ instant: MonotonicInstant) { state.withLock { $0.acts = instant } }
    }

    static let quick = Duration.milliseconds(20)

    /// A refresh token. The simulated provider looks some up before it judges the rest of their answer; none of these.
    private static func name(_ number: Int) -> String {
        let name = "t\(number)"
        return name.utf8.reduce(0) { $0 + Int($1) } % 4 == 0 ? name + "!" : name
    }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        guard !process.isKilled else { throw TransportError(.interrupted, wasSent: false) }
        let body = String(decoding: request.body ?? [], as: UTF8.self)
        guard request.url.hasSuffix("/token"), let token = Int(body.filter(\.isNumber)) else {
            return TransportResponse(status: 200, body: Array("\(Self.name(0)) a0 60".utf8))
        }
        let first = first.flatMap { $0.take() ? $0 : nil }
        let arrives = machine.now + (first?.queue ?? Self.quick)
        first?.note(arrives)
        let answer = Locked<Int?>(nil)
        machine.at(arrives) { [service, machine] in answer.withLock { $0 = service.act(token, at: machine.now) } }
        if first?.isCut == true {
            try await sleep(until: machine.now + .milliseconds(10))
            throw TransportError(.interrupted, wasSent: true)
        }
        let end = machine.now + deadline
        try await sleep(until: min(arrives + Self.quick, end))
        guard machine.now >= arrives else { throw TransportError(.timedOut, wasSent: true) }
        guard let next = answer.withLock({ $0 }) else {
            return TransportResponse(status: 400, body: Array("invalid_grant".utf8))
        }
        return TransportResponse(
            status: 200, body: Array("\(Self.name(next)) a\(next).\(machine.now.nanoseconds) 60".utf8))
    }

    private func sleep(until instant: MonotonicInstant) async throws {
        do { try await process.context().clock.sleep(until: instant) } catch {
            throw TransportError(.interrupted, wasSent: true)
        }
    }
}
