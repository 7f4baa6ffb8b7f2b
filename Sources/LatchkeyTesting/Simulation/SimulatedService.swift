import Latchkey
import LatchkeySystem

/// An identity service that knows the truth: which refresh token it would accept now, and whose
/// each access token is.
@available(macOS 15, iOS 18, *)
public final class SimulatedService: Sendable {
    /// How the service reacts to a refresh token that was used before; the kinds of `Documentation/Internals/Lane.md`.
    public enum Kind: String, CaseIterable, Sendable {
        /// A: every reuse ends the family (RFC 9700, section 4.14).
        case strict
        /// B1: the previous token returns the same successor.
        case sameSuccessor
        /// B2: the previous token returns a new successor, which replaces the one it gave.
        case newSuccessor
        /// C: it does not rotate.
        case fixed
        /// D: short-lived tokens are issued under a long-lived one, which any answer may replace.
        case mints
        /// D, with several people signed in on one long-lived token. Every answer replaces the
        /// token, except most answers to a refresh. A token that any other answer replaced is
        /// worthless, but using it to sign in still succeeds.
        case shares
    }

    /// Why a family has ended.
    public enum Death: String, Sendable {
        /// One of its tokens was used twice.
        case reuse
        /// A client revoked it.
        case revoked
        /// The person, or an operator, ended it at the service itself.
        case elsewhere
    }

    /// The tokens that come from one sign-in.
    public struct Family: Sendable {
        /// The person who signed in.
        public let subject: String
        /// The browser that they signed in with. Two sign-ins of one browser are one session at the service.
        public internal(set) var browser = 0
        /// Why the family has ended; `nil` means that it has not.
        public internal(set) var death: Death?
        /// The refresh token that the service accepts without consequences.
        public internal(set) var current: String
        var previous: String?
        var generation = 0
        /// How often a second factor was proven.
        public internal(set) var proofs = 0
        /// When each token was first used, in time that has really passed.
        var used: [String: Duration] = [:]
        /// Whether the answer to the sign-in reached its client.
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
        /// For ``Kind/shares``: the token of each client, and the client that each session belongs to.
        var clients: [String] = []
        /// A client's earlier tokens. They stay valid until an answer other than one to a refresh
        /// replaces the newest one.
        var olderTokens: [Int: Set<String>] = [:]
        var clientOfToken: [String: Int] = [:]
        var clientOfFamily: [Int: Int] = [:]
        var access: [String: Access] = [:]
        var refused: Set<String> = []
        var minted = 0
        var codes = 0
    }

    /// How the service reacts to a token that was used before.
    public let kind: Kind
    /// How long its access tokens last.
    public let lifetime: Duration
    /// For how long it answers a token again that was used before; `nil`: it does only what ``kind`` says.
    public let reuseInterval: Duration?
    /// Whether revoking one session ends all of the person's sessions.
    public let endsEveryGrant: Bool
    /// Whether revoking one session ends all of the same browser.
    public let sharesSessions: Bool
    private let machine: SimulatedMachine
    private let state = Locked(State())

    /// Creates a service without sessions.
    public init(
        _ kind: Kind, lifetime: Duration = .seconds(600), reuseInterval: Duration? = nil, endsEveryGrant: Bool = false,
        sharesSessions: Bool = false, on machine: SimulatedMachine
    ) {
        self.kind = kind
        self.lifetime = lifetime
        self.reuseInterval = reuseInterval
        self.endsEveryGrant = endsEveryGrant
        self.sharesSessions = sharesSessions
        self.machine = machine
    }

    /// Every family so far, in order.
    public var families: [Family] { state.withLock { $0.families } }

    /// Whether a refresh takes the place of the token, so that a second one with it may do harm.
    var rotates: Bool { [.strict, .sameSuccessor, .newSuccessor].contains(kind) }

    /// Returns the family that a refresh token belongs to.
    ///
    /// - Parameter token: For ``Kind/shares``, the token and the session, separated by a space.
    public func family(ofRefreshToken token: String) -> Int? {
        guard kind != .shares else { return Self.session(token.split(separator: " ").last ?? "") }
        return state.withLock { $0.owner[token] }
    }

    /// Returns the family of an access token, and when it was issued and ends, in time that has really passed.
    public func access(_ token: String) -> (family: Int, minted: Duration, ends: Duration)? {
        state.withLock { $0.access[token].map { ($0.family, $0.minted, $0.ends) } }
    }

    /// Returns whether the service would accept the refresh token now.
    public func takes(_ token: String) -> Bool {
        guard kind != .shares else { return takesShared(token) }
        return state.withLock { state in
            guard let family = state.owner[token].map({ state.families[$0] }), family.death == nil else { return false }
            if repeats(token, family) { return true }
            switch kind {
            case .strict, .fixed: return family.current == token
            case .sameSuccessor, .newSuccessor: return family.current == token || family.previous == token
            case .mints, .shares: return true
            }
        }
    }

    /// Returns whether a resource would accept the access token now.
    public func accepts(_ token: String) -> Bool {
        state.withLock { state in
            guard let access = state.access[token], state.families[access.family].death == nil else { return false }
            return machine.elapsed < access.ends
        }
    }

    /// Returns whether the service ever refused the refresh token for good.
    public func hasRefused(_ token: String) -> Bool {
        let name = kind == .shares ? String(token.split(separator: " ").last ?? "") : token
        return state.withLock { $0.refused.contains(name) }
    }

    /// Ends a family, as an operator would.
    public func end(_ family: Int) {
        state.withLock { state in
            guard state.families.indices.contains(family), state.families[family].death == nil else { return }
            state.families[family].death = .elsewhere
        }
    }

    /// Signs the person in with another client, and returns that client's refresh token.
    public func grantElsewhere(to subject: String) -> String {
        let answer = signIn(subject)
        let words = String(decoding: answer.body, as: UTF8.self).split(separator: " ")
        let refresh = kind == .shares ? "\(words[0]) \(words[3]) \(words[4])" : String(words[0])
        noteKnown(refresh)
        return refresh
    }

    /// Notes that the service told a client, in answer to something other than a refresh, that the
    /// family has ended.
    public func noteRefused(_ family: Int) {
        state.withLock { state in
            state.refused.formUnion(state.owner.filter { $0.value == family }.keys)
            if kind == .shares { state.refused.insert("s\(family)") }
        }
    }

    /// Notes that the client received the answer to its sign-in.
    func noteKnown(_ refresh: String) {
        let family = family(ofRefreshToken: refresh)
        state.withLock { state in
            if let family { state.families[family].isKnown = true }
        }
    }

    func signIn(_ subject: String) -> TransportResponse {
        guard kind != .shares else { return signInShared(subject) }
        return state.withLock { state in
            var family = Family(subject: subject, current: "")
            family.browser = state.families.count { $0.subject == subject } / 2
            state.families.append(family)
            let granted = grant(state.families.count - 1, &state, rotates: true)
            guard sharesSessions else { return granted }
            // Every fifth sign-in does not say which browser it came from, as one without an ID token.
            let name = state.families.count % 5 == 0 ? "-" : "b\(family.browser)"
            return TransportResponse(status: 200, body: granted.body + Array(" \(name)".utf8))
        }
    }

    func refresh(_ token: String) -> TransportResponse {
        guard kind != .shares else { return useShared(token, replaces: false) }
        return state.withLock { state in
            guard let number = state.owner[token], state.families[number].death == nil else {
                return refuse(token, &state)
            }
            let family = state.families[number]
            // A minting service replaces the long-lived token now and then, and still accepts the earlier ones.
            if kind == .mints { return grant(number, &state, rotates: state.minted % 3 == 0) }
            if family.current == token { return grant(number, &state, rotates: kind != .fixed) }
            switch kind {
            case .sameSuccessor where family.previous == token || repeats(token, family):
                return grant(number, &state, rotates: false)
            case .newSuccessor where family.previous == token, .strict where repeats(token, family):
                // The successor that it gave before is superseded; the previous token stays the same.
                state.families[number].current = token
                return grant(number, &state, rotates: true)
            default:
                state.families[number].death = .reuse
                return refuse(token, &state)
            }
        }
    }

    /// Proves a second factor in the session that the token belongs to. If tokens rotate, the
    /// previous current token is then two steps behind, however old the token that was sent.
    func verify(_ token: String) -> TransportResponse {
        guard kind != .shares else { return useShared(token, replaces: true) }
        return state.withLock { state in
            guard let number = state.owner[token], state.families[number].death == nil else {
                return refuse(token, &state)
            }
            guard kind != .fixed, kind != .mints else { return grant(number, &state, rotates: false) }
            noteUse(number, &state)
            state.families[number].generation += 1
            state.families[number].proofs += 1
            state.families[number].current = "nobody's"
            return grant(number, &state, rotates: true)
        }
    }

    /// Whether the service still answers a token that was used before.
    private func repeats(_ token: String, _ family: Family) -> Bool {
        guard let reuseInterval, let used = family.used[token] else { return false }
        return machine.elapsed < used + reuseInterval
    }

    private func noteUse(_ number: Int, _ state: inout State) {
        let token = state.families[number].current
        state.families[number].used[token] = state.families[number].used[token] ?? machine.elapsed
    }

    func revoke(_ token: String) -> TransportResponse {
        guard kind != .shares else { return revokeShared(token) }
        return state.withLock { state in
            if let family = state.owner[token], state.families[family].death == nil {
                for other in state.families.indices where state.families[other].death == nil {
                    guard other == family || reaches(state.families[family], state.families[other]) else { continue }
                    state.families[other].death = .revoked
                }
            }
            return TransportResponse(status: 200)
        }
    }

    private func reaches(_ revoked: Family, _ other: Family) -> Bool {
        revoked.subject == other.subject && (endsEveryGrant || sharesSessions && revoked.browser == other.browser)
    }

    /// Returns the families, beside its own, that a revocation of this refresh token would end.
    public func reach(ofRefreshToken token: String) -> [Int] {
        state.withLock { state in
            guard let family = state.owner[token], state.families[family].death == nil else { return [] }
            return state.families.indices.filter { other in
                other != family && state.families[other].death == nil
                    && reaches(state.families[family], state.families[other])
            }
        }
    }

    private func refuse(_ token: String, _ state: inout State) -> TransportResponse {
        state.refused.insert(token)
        return TransportResponse(status: 400, body: Array("invalid_grant".utf8))
    }

    // MARK: Several people on one client

    private static func session(_ name: Substring) -> Int? { name.first == "s" ? Int(name.dropFirst()) : nil }

    /// Returns the families that lose if the answer to `request` is lost: those on the client, if
    /// it replaced the token.
    func losers(_ path: String, _ request: String) -> [Int] {
        guard kind == .shares else { return family(ofRefreshToken: request).map { [$0] } ?? [] }
        guard path != "token", path != "client" else { return [] }
        return state.withLock { state in
            guard let client = state.clientOfToken[String(request.split(separator: " ").first ?? "")] else { return [] }
            return state.clientOfFamily.filter { $0.value == client }.map(\.key)
        }
    }

    /// Returns whether a client with this token, and the session of `family` on it, is behind the newest one.
    public func isBehind(_ token: String, of family: Int) -> Bool {
        guard kind == .shares else { return state.withLock { $0.families[family].current != token } }
        return !takesShared("\(token) s\(family)")
    }

    /// Returns the client and the people signed in on it. A replaced token gets a new client
    /// without anybody on it.
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

    /// Registers `text` as another form of the same access token.
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

    /// `text` is the subject, optionally after the token of the client to sign in on.
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

    /// For a token that was replaced it knows no session, and reports success.
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
            noteUse(number, &state)
            state.families[number].previous = state.families[number].current
            state.families[number].generation += 1
            let token = "r\(number).\(state.families[number].generation)"
            state.families[number].current = token
            state.owner[token] = number
        }
        state.minted += 1
        let proofs = state.families[number].proofs
        let access = "a\(number).\(state.minted)" + (proofs > 0 ? ".\(proofs)" : "")
        state.access[access] = Access(
            family: number, minted: machine.elapsed, ends: machine.elapsed + lifetime)
        let words = [state.families[number].current, access, "\(lifetime.components.seconds)"]
        return TransportResponse(status: 200, body: Array(words.joined(separator: " ").utf8))
    }
}
