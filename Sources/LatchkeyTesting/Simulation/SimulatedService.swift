import Latchkey
import LatchkeyLocked

/// An identity service that knows the truth: which refresh token it would take now, and whose each access token is.
@available(macOS 15, iOS 18, *)
public final class SimulatedService: Sendable {
    /// What it does with a refresh token that was used before; the kinds of `Documentation/Lane.md`.
    public enum Kind: String, CaseIterable, Sendable {
        /// A: every reuse ends the family (RFC 9700, section 4.14).
        case strict
        /// B1: the one before answers with the same successor.
        case sameSuccessor
        /// B2: the one before answers with a new successor, in place of the one it gave.
        case newSuccessor
        /// C: it does not rotate.
        case fixed
        /// D: short-lived tokens are minted under a long-lived one, which any answer may replace.
        case mints
    }

    /// Why a family is dead.
    public enum Death: String, Sendable {
        /// A token of it was used twice.
        case reuse
        /// A client asked for it.
        case revoked
        /// The person, or an operator, at the service itself.
        case elsewhere
    }

    /// The tokens that come from one sign-in.
    public struct Family: Sendable {
        /// Who signed in.
        public let subject: String
        /// Why it is dead; `nil`: it is alive.
        public internal(set) var death: Death?
        /// The refresh token it takes, without consequences.
        public internal(set) var current: String
        var previous: String?
        var generation = 0
        /// Whether the sign-in's answer reached its client.
        public internal(set) var isKnown = false
    }

    struct Access: Sendable {
        var family: Int
        var minted: Duration
        var ends: Duration
    }

    private struct State {
        var families: [Family] = []
        var owner: [String: Int] = [:]
        var access: [String: Access] = [:]
        var refused: Set<String> = []
        var minted = 0
        var codes = 0
    }

    /// What it does with a token that was used before.
    public let kind: Kind
    /// How long its access tokens last.
    public let lifetime: Duration
    /// Whether revoking one session ends all of the person's.
    public let endsEveryGrant: Bool
    private let machine: SimulatedMachine
    private let state = Locked(State())

    /// A service without sessions.
    public init(
        _ kind: Kind, lifetime: Duration = .seconds(600), endsEveryGrant: Bool = false, on machine: SimulatedMachine
    ) {
        self.kind = kind
        self.lifetime = lifetime
        self.endsEveryGrant = endsEveryGrant
        self.machine = machine
    }

    /// Every family there was, in order.
    public var families: [Family] { state.withLock { $0.families } }

    /// Which family a refresh token belongs to.
    public func family(ofRefreshToken token: String) -> Int? { state.withLock { $0.owner[token] } }

    /// Whose an access token is, when it was made and when it ends, in time that has really passed.
    public func access(_ token: String) -> (family: Int, minted: Duration, ends: Duration)? {
        state.withLock { $0.access[token].map { ($0.family, $0.minted, $0.ends) } }
    }

    /// Whether the refresh token would be taken now.
    public func takes(_ token: String) -> Bool {
        state.withLock { state in
            guard let family = state.owner[token].map({ state.families[$0] }), family.death == nil else { return false }
            switch kind {
            case .strict, .fixed: return family.current == token
            case .sameSuccessor, .newSuccessor: return family.current == token || family.previous == token
            case .mints: return true
            }
        }
    }

    /// Whether a resource would accept the access token now.
    public func accepts(_ token: String) -> Bool {
        state.withLock { state in
            guard let access = state.access[token], state.families[access.family].death == nil else { return false }
            return machine.elapsed < access.ends
        }
    }

    /// Whether it ever refused the refresh token for good.
    public func hasRefused(_ token: String) -> Bool { state.withLock { $0.refused.contains(token) } }

    /// Ends a family as an operator would.
    public func end(_ family: Int) {
        state.withLock { state in
            guard state.families.indices.contains(family), state.families[family].death == nil else { return }
            state.families[family].death = .elsewhere
        }
    }

    /// Signs the person in with a client of somebody else's, and hands out what that one has: its refresh token.
    public func grantElsewhere(to subject: String) -> String {
        let answer = signIn(subject)
        let refresh = String(decoding: answer.body.prefix { $0 != 0x20 }, as: UTF8.self)
        noteKnown(refresh)
        return refresh
    }

    /// It told a client that the family is over, in answer to something else than a refresh.
    public func noteRefused(_ family: Int) {
        state.withLock { state in state.refused.formUnion(state.owner.filter { $0.value == family }.keys) }
    }

    /// The client got the answer to its sign-in.
    func noteKnown(_ refresh: String) {
        state.withLock { state in
            if let family = state.owner[refresh] { state.families[family].isKnown = true }
        }
    }

    func signIn(_ subject: String) -> TransportResponse {
        state.withLock { state in
            state.families.append(Family(subject: subject, current: ""))
            return grant(state.families.count - 1, &state, rotates: true)
        }
    }

    func refresh(_ token: String) -> TransportResponse {
        state.withLock { state in
            guard let number = state.owner[token], state.families[number].death == nil else {
                return refuse(token, &state)
            }
            let family = state.families[number]
            // A minting service replaces the long-lived token now and then, and takes those that it gave before.
            if kind == .mints { return grant(number, &state, rotates: state.minted % 3 == 0) }
            if family.current == token { return grant(number, &state, rotates: kind != .fixed) }
            switch kind {
            case .sameSuccessor where family.previous == token: return grant(number, &state, rotates: false)
            case .newSuccessor where family.previous == token:
                // The successor it gave before is superseded; the one before stays what it was.
                state.families[number].current = token
                return grant(number, &state, rotates: true)
            default:
                state.families[number].death = .reuse
                return refuse(token, &state)
            }
        }
    }

    /// A second factor is proven, in the session that the token belongs to: where tokens rotate, the one there was is
    /// two steps behind then, however old the one that was sent.
    func verify(_ token: String) -> TransportResponse {
        state.withLock { state in
            guard let number = state.owner[token], state.families[number].death == nil else {
                return refuse(token, &state)
            }
            guard kind != .fixed, kind != .mints else { return grant(number, &state, rotates: false) }
            state.families[number].generation += 1
            state.families[number].current = "nobody's"
            return grant(number, &state, rotates: true)
        }
    }

    func revoke(_ token: String) -> TransportResponse {
        state.withLock { state in
            if let family = state.owner[token], state.families[family].death == nil {
                let subject = state.families[family].subject
                for other in state.families.indices where state.families[other].death == nil {
                    guard other == family || (endsEveryGrant && state.families[other].subject == subject) else {
                        continue
                    }
                    state.families[other].death = .revoked
                }
            }
            return TransportResponse(status: 200)
        }
    }

    private func refuse(_ token: String, _ state: inout State) -> TransportResponse {
        state.refused.insert(token)
        return TransportResponse(status: 400, body: Array("invalid_grant".utf8))
    }

    private func grant(_ number: Int, _ state: inout State, rotates: Bool) -> TransportResponse {
        if rotates {
            state.families[number].previous = state.families[number].current
            state.families[number].generation += 1
            let token = "r\(number).\(state.families[number].generation)"
            state.families[number].current = token
            state.owner[token] = number
        }
        state.minted += 1
        let access = "a\(number).\(state.minted)"
        state.access[access] = Access(
            family: number, minted: machine.elapsed, ends: machine.elapsed + lifetime)
        let words = [state.families[number].current, access, "\(lifetime.components.seconds)"]
        return TransportResponse(status: 200, body: Array(words.joined(separator: " ").utf8))
    }
}
