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
        /// D, and several people are signed in on one: each answer replaces it but most of a mint's, and one that another
        /// answer than a mint's replaced is worth nothing, but answered well where somebody signs in.
        case shares
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
        /// Of ``Kind/shares``: the token of each client, and on which one each session hangs.
        var clients: [String] = []
        /// Those that a client had before, which are good until another answer than a mint's replaces the newest one.
        var olderTokens: [Int: Set<String>] = [:]
        var clientOfToken: [String: Int] = [:]
        var clientOfFamily: [Int: Int] = [:]
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
    ///
    /// - Parameter token: Of ``Kind/shares``: the token and the session, with a blank between them.
    public func family(ofRefreshToken token: String) -> Int? {
        guard kind != .shares else { return Self.session(token.split(separator: " ").last ?? "") }
        return state.withLock { $0.owner[token] }
    }

    /// Whose an access token is, when it was made and when it ends, in time that has really passed.
    public func access(_ token: String) -> (family: Int, minted: Duration, ends: Duration)? {
        state.withLock { $0.access[token].map { ($0.family, $0.minted, $0.ends) } }
    }

    /// Whether the refresh token would be taken now.
    public func takes(_ token: String) -> Bool {
        guard kind != .shares else { return takesShared(token) }
        return state.withLock { state in
            guard let family = state.owner[token].map({ state.families[$0] }), family.death == nil else { return false }
            switch kind {
            case .strict, .fixed: return family.current == token
            case .sameSuccessor, .newSuccessor: return family.current == token || family.previous == token
            case .mints, .shares: return true
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
    public func hasRefused(_ token: String) -> Bool {
        let name = kind == .shares ? String(token.split(separator: " ").last ?? "") : token
        return state.withLock { $0.refused.contains(name) }
    }

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
        let words = String(decoding: answer.body, as: UTF8.self).split(separator: " ")
        let refresh = kind == .shares ? "\(words[0]) \(words[3]) \(words[4])" : String(words[0])
        noteKnown(refresh)
        return refresh
    }

    /// It told a client that the family is over, in answer to something else than a refresh.
    public func noteRefused(_ family: Int) {
        state.withLock { state in
            state.refused.formUnion(state.owner.filter { $0.value == family }.keys)
            if kind == .shares { state.refused.insert("s\(family)") }
        }
    }

    /// The client got the answer to its sign-in.
    func noteKnown(_ refresh: String) {
        let family = family(ofRefreshToken: refresh)
        state.withLock { state in
            if let family { state.families[family].isKnown = true }
        }
    }

    func signIn(_ subject: String) -> TransportResponse {
        guard kind != .shares else { return signInShared(subject) }
        return state.withLock { state in
            state.families.append(Family(subject: subject, current: ""))
            return grant(state.families.count - 1, &state, rotates: true)
        }
    }

    func refresh(_ token: String) -> TransportResponse {
        guard kind != .shares else { return useShared(token, replaces: false) }
        return state.withLock { state in
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
        guard kind != .shares else { return useShared(token, replaces: true) }
        return state.withLock { state in
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
        guard kind != .shares else { return revokeShared(token) }
        return state.withLock { state in
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

    // MARK: Several people on one client

    private static func session(_ name: Substring) -> Int? { name.first == "s" ? Int(name.dropFirst()) : nil }

    /// The families that lose by an answer to `request` which is not heard: those on the client, where it replaced the token.
    func losers(_ path: String, _ request: String) -> [Int] {
        guard kind == .shares else { return family(ofRefreshToken: request).map { [$0] } ?? [] }
        guard path != "token", path != "client" else { return [] }
        return state.withLock { state in
            guard let client = state.clientOfToken[String(request.split(separator: " ").first ?? "")] else { return [] }
            return state.clientOfFamily.filter { $0.value == client }.map(\.key)
        }
    }

    /// Whether a client with this token, and the session of `family` on it, is behind the newest one by now.
    public func isBehind(_ token: String, of family: Int) -> Bool {
        guard kind == .shares else { return state.withLock { $0.families[family].current != token } }
        return !takesShared("\(token) s\(family)")
    }

    /// The client and who is signed in on it. A token that was replaced is answered with a client of nobody's.
    func describe(_ token: String) -> TransportResponse {
        state.withLock { state in
            var words: [String]
            if let client = current(token, state) {
                let sessions = state.clientOfFamily.filter { $0.value == client }.map(\.key).sorted()
                words = ["client\(client)", "-"]
                for number in sessions where state.families[number].death == nil {
                    words.append("s\(number):\(state.families[number].subject)")
                }
            } else {
                state.clients.append("")
                newToken(of: state.clients.count - 1, &state)
                words = ["client\(state.clients.count - 1)", state.clients[state.clients.count - 1]]
            }
            return TransportResponse(status: 200, body: Array(words.joined(separator: " ").utf8))
        }
    }

    /// The same access token in the words of another language.
    public func alias(_ text: String, of access: String) { state.withLock { $0.access[text] = $0.access[access] } }

    private func takesShared(_ text: String) -> Bool {
        let words = text.split(separator: " ")
        return state.withLock { state in
            guard words.count == 2, let number = Self.session(words[1]), state.families[number].death == nil else {
                return false
            }
            return current(String(words[0]), state).map { $0 == state.clientOfFamily[number] } ?? false
        }
    }

    private func current(_ token: String, _ state: State) -> Int? {
        state.clientOfToken[token].flatMap { client in
            state.clients[client] == token || state.olderTokens[client]?.contains(token) == true ? client : nil
        }
    }

    private func newToken(of client: Int, _ state: inout State, keepsOlder: Bool = false) {
        state.codes += 1
        if keepsOlder {
            state.olderTokens[client, default: []].insert(state.clients[client])
        } else {
            state.olderTokens[client] = nil
        }
        let token = "c\(client).\(state.codes)"
        state.clients[client] = token
        state.clientOfToken[token] = client
    }

    /// `subject`, or the token of the client that it is to come onto before it.
    private func signInShared(_ text: String) -> TransportResponse {
        let words = text.split(separator: " ").map(String.init)
        return state.withLock { state in
            state.families.append(Family(subject: words.last ?? "", current: ""))
            let number = state.families.count - 1
            let known = words.count > 1 ? current(words[0], state) : nil
            if known == nil { state.clients.append("") }
            let client = known ?? state.clients.count - 1
            newToken(of: client, &state)
            state.clientOfFamily[number] = client
            return grantShared(number, client, &state)
        }
    }

    private func grantShared(_ number: Int, _ client: Int, _ state: inout State) -> TransportResponse {
        state.minted += 1
        let access = "a\(number).\(state.minted)"
        state.access[access] = Access(family: number, minted: machine.elapsed, ends: machine.elapsed + lifetime)
        let words = [
            state.clients[client], access, "\(lifetime.components.seconds)", "client\(client)", "s\(number)",
        ]
        return TransportResponse(status: 200, body: Array(words.joined(separator: " ").utf8))
    }

    private func useShared(_ text: String, replaces: Bool) -> TransportResponse {
        let words = text.split(separator: " ").map(String.init)
        return state.withLock { state in
            let number = words.count == 2 ? Self.session(words[1][...]) : nil
            guard let number, state.families[number].death == nil, let client = current(words[0], state),
                state.clientOfFamily[number] == client
            else { return refuse(words.last ?? "", &state) }
            if replaces || state.minted % 3 == 0 { newToken(of: client, &state, keepsOlder: !replaces) }
            return grantShared(number, client, &state)
        }
    }

    /// Of a token that was replaced it knows no session, and says that all is well.
    private func revokeShared(_ text: String) -> TransportResponse {
        let words = text.split(separator: " ").map(String.init)
        return state.withLock { state in
            guard words.count == 2, let client = current(words[0], state), let number = Self.session(words[1][...]),
                state.clientOfFamily[number] == client
            else { return TransportResponse(status: 200, body: Array("- done".utf8)) }
            if state.families[number].death == nil { state.families[number].death = .revoked }
            newToken(of: client, &state)
            return TransportResponse(status: 200, body: Array("\(state.clients[client]) done".utf8))
        }
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
