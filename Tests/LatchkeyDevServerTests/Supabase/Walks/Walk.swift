import LatchkeyHTTPServer
import LatchkeyJSON
import LatchkeySystem
import RecordedGoTrue
import Testing

@testable import LatchkeyDevServer

/// Sends the recorded requests of one file to the dialect. Whatever a recorded answer gave out and a later request
/// holds (identifiers, tokens, codes, links) is replaced by what the dialect gave out in its place.
final class Walk {
    let harness: SupabaseHarness
    let exchanges: [RecordedExchange]
    /// Its own values, by those recorded.
    var own: [String: String] = [:]
    /// Its own refresh tokens by counter, and its newest access token, by the recorded session.
    var refreshTokens: [String: [Int: String]] = [:]
    var accessTokens: [String: String] = [:]
    /// What the instances are set to besides.
    var adjust: @Sendable (inout DevServer.Supabase) -> Void = { _ in }
    var differences: [String] = []
    var requests = 0
    var exempt: [String] = []

    init(_ file: String) throws {
        harness = try SupabaseHarness()
        exchanges = try RecordedExchange.walked(file)
    }

    func run() async throws {
        for exchange in exchanges {
            if let reason = WalkExemptions.reason(for: exchange) {
                exempt.append("\(exchange.name) (\(reason))")
                continue
            }
            try await run(exchange)
        }
    }

    private func run(_ exchange: RecordedExchange) async throws {
        set(exchange.port, at: exchange.at)
        try await WalkPreparations.all[exchange.name]?(self, exchange)
        set(exchange.port, at: exchange.at)
        let body = try await substituted(exchange)
        var fields: [(name: String, value: String)] = []
        for field in exchange.sentFields {
            guard field.name == "Authorization", let token = exchange.bearer else {
                fields.append(field)
                continue
            }
            fields.append((field.name, "Bearer \(try await bearer(token, exchange))"))
        }
        if !fields.contains(where: { $0.name == "X-Supabase-Api-Version" }) {
            fields.append(("X-Supabase-Api-Version", ""))
        }
        let target = try await self.target(exchange)
        set(exchange.port, at: exchange.at)
        let answer = try await harness.send(
            exchange.method, target, body, raw: exchange.raw.map { Array($0.utf8) }, fields: fields)
        requests += 1
        compare(exchange, answer)
    }

    func exchange(_ name: String) throws -> RecordedExchange {
        try #require(exchanges.first { $0.name == name }, "there is no exchange \(name)")
    }

    func set(_ port: Int, at time: Double) {
        harness.time.withLock { $0 = time }
        let adjust = adjust
        harness.change { settings in
            settings = WalkInstances.settings(port)
            adjust(&settings)
        }
    }

    // MARK: Requests

    /// The target with its own values.
    private func target(_ exchange: RecordedExchange) async throws -> String {
        var target = exchange.target
        for match in exchange.target.matches(of: /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/) {
            guard let value = own[String(match.0)] else { continue }
            target = target.split(separator: match.0, omittingEmptySubsequences: false).joined(separator: value)
        }
        let query = target.split(separator: "?", maxSplits: 1).dropFirst().first.map { Array($0.utf8) } ?? []
        let pairs = FormPairs.decode(query) ?? []
        func value(_ name: String) -> String? { pairs.first { $0.name == name }?.value }
        var replaced: (String, String)?
        if exchange.target.hasPrefix("/verify?"), let token = value("token"), !token.hasPrefix("abab") {
            let type = value("type")
            let link = harness.server.inbox().last { $0.link != nil && $0.type == type }
            replaced = (token, own[token] ?? link?.tokenHash ?? token)
        } else if exchange.target.hasPrefix("/callback?"), let code = value("code"), let state = value("state") {
            replaced = (code, try await providerCode(code, state: state))
        }
        if let (old, new) = replaced {
            own[old] = new
            target = target.split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
        }
        return target
    }

    /// What the built-in provider gives for a flow.
    private func providerCode(_ recorded: String, state: String) async throws -> String {
        if let known = own[recorded] { return known }
        let flow = try #require(visits[state], "there was no visit for \(state)")
        let visit = try await harness.send("GET", String(flow))
        return try #require(visit.landing["code"])
    }

    /// Addresses of the built-in provider by its own states.
    var visits: [String: Substring] = [:]

    func noteVisit(_ address: String) {
        guard let start = address.firstRange(of: "/auth/v1/provider")?.lowerBound,
            let query = address.split(separator: "?", maxSplits: 1).last,
            let state = FormPairs.decode(Array(query.utf8))?.first(where: { $0.name == "state" })
        else { return }
        visits[state.value] = address[start...].dropFirst("/auth/v1".count)
    }

    private func substituted(_ exchange: RecordedExchange) async throws -> JSON? {
        guard case .object(var members)? = exchange.body else { return exchange.body }
        if let own = try authenticatorAnswer(exchange.body) { return own }
        for (name, value) in members {
            guard let text = value.string else { continue }
            members[name] = .string(try await substituted(text, name, exchange))
        }
        return .object(members)
    }

    private func substituted(_ text: String, _ name: String, _ exchange: RecordedExchange) async throws -> String {
        if let known = own[text] { return known }
        switch name {
        case "refresh_token": return try await refreshToken(text, exchange)
        case "id_token": return try WalkPreparations.idToken(like: text, walk: self, isBroken: exchange.status == 400)
        case "token" where text != "000000", "nonce" where text.count == 6 && text != "000000":
            let recipient = exchange.body?["email"]?.string ?? exchange.body?["phone"]?.string
            let message = harness.server.inbox().last { recipient == nil || $0.to == recipient }
            own[text] = message?.code ?? text
            return own[text] ?? text
        case "code" where exchange.target.hasPrefix("/factors") && exchange.status == 200:
            let secret = try #require(secrets.last)
            return try #require(DevServer.TOTP.code(secret: secret, at: exchange.at))
        case "password" where exchange.target.hasSuffix("grant_type=password") && exchange.status == 200:
            let email = exchange.body?["email"]?.string ?? ""
            if harness.server.state.withLock({ $0.supabase.person(email: email) }) == nil {
                harness.user(
                    email, password: text,
                    nickname: exchange.answer?["user"]?["user_metadata"]?["nickname"]?.string)
            }
            return text
        default: return text
        }
    }

    /// Secrets of its own factors.
    var secrets: [String] = []
    /// What its own answers asked of an authenticator, by their challenges, and who answers.
    var options: [String: JSON] = [:]
    var authenticator = DevServer.Authenticator()

    /// The answer of its own authenticator in place of a recorded one.
    private func authenticatorAnswer(_ body: JSON?) throws -> JSON? {
        guard let id = body?["challenge_id"]?.string.flatMap({ own[$0] }), let options = options[id],
            let recorded = body?["credential"] ?? body?["webauthn"]?["credential_response"],
            let response = recorded["response"]
        else { return nil }
        let isNew = response["attestationObject"] != nil
        let made = isNew ? authenticator.create(options) : authenticator.get(options)
        let answer = try #require(made)
        guard let type = body?["webauthn"]?["type"] else {
            return ["challenge_id": .string(id), "credential": answer]
        }
        return ["challenge_id": .string(id), "webauthn": ["type": type, "credential_response": answer]]
    }

    func noteOptions(_ answer: JSON) {
        let asked = answer["options"] ?? answer["webauthn"]?["credential_options"]?["publicKey"]
        guard let asked, let id = (answer["challenge_id"] ?? answer["id"])?.string else { return }
        options[id] = asked
    }

    // MARK: Sessions

    /// Its own token for a recorded one; a session that began before the recording is begun now.
    private func bearer(_ token: String, _ exchange: RecordedExchange) async throws -> String {
        if let known = own[token] { return known }
        guard let claims = RecordedExchange.claims(token), let session = claims["session_id"]?.string else {
            return token
        }
        if refreshTokens[session] == nil {
            let began = claims["amr"]?.array?.compactMap { $0["timestamp"]?.number }.min()
            try await begin(
                session, user: claims["sub"]?.string, email: claims["email"]?.string ?? "", reach: 0,
                port: exchange.port, at: min(began ?? exchange.at, exchange.at))
        }
        return try #require(accessTokens[session])
    }

    private func refreshToken(_ token: String, _ exchange: RecordedExchange) async throws -> String {
        guard let read = SupabaseState.read(counterToken: token) else { return token }
        if refreshTokens[read.session] == nil {
            let counter = exchange.answerField("Sb-Auth-Refresh-Token-Counter").flatMap { Int($0) }
            let isReuse = exchange.answerField("Sb-Auth-Refresh-Token-Reuse") == nil
            let cause = exchange.answerField("Sb-Auth-Refresh-Token-Reuse-Cause")
            let isDead = exchange.answerField("Sb-Auth-Refresh-Token-Rotated") != nil
            guard exchange.status == 200 || isDead else { return token }
            let user = exchange.answerField("Sb-Auth-User-Id")
            let email = exchange.answer?["user"]?["email"]?.string
            let reach = isDead ? read.counter + 2 : isReuse ? counter ?? 0 : read.counter
            let isLate = isDead || cause == "fail-to-save"
            let methods = exchange.answer?["access_token"]?.string.flatMap(RecordedExchange.claims)?["amr"]?.array
            let began = methods?.compactMap { $0["timestamp"]?.number }.min()
            try await begin(
                read.session, user: user, email: email ?? "\(user ?? "somebody")@example.test", reach: reach,
                port: exchange.port, at: began ?? exchange.at - (isLate ? 12 : 0.5))
        }
        return try #require(refreshTokens[read.session]?[read.counter], "\(exchange.name): no token \(read.counter)")
    }

    /// Signs somebody in for a recorded session, and refreshes `reach` times.
    func begin(
        _ session: String, user: String?, email: String, reach: Int = 0, port: Int, at time: Double
    ) async throws {
        set(port, at: time)
        if harness.server.state.withLock({ $0.supabase.person(email: email) }) == nil { harness.user(email) }
        var answer = try await harness.signIn(email)
        if let user { own[user] = answer.json["user"]?["id"]?.string }
        own[session] = answer.field("Sb-Auth-Session-Id")
        refreshTokens[session] = [0: answer.refreshToken]
        for counter in 0..<reach {
            answer = try await harness.refresh(answer.refreshToken)
            refreshTokens[session]?[counter + 1] = answer.refreshToken
        }
        accessTokens[session] = answer.accessToken
    }

    /// Begins the session that an exchange is about, `ago` seconds before another.
    func begin(sessionOf name: String, email: String, before exchange: RecordedExchange, ago: Double) async throws {
        let later = try self.exchange(name)
        let session =
            later.refreshToken.flatMap { SupabaseState.read(counterToken: $0)?.session }
            ?? later.bearer.flatMap { RecordedExchange.claims($0)?["session_id"]?.string }
        try await begin(
            try #require(session), user: later.answerField("Sb-Auth-User-Id"), email: email, port: exchange.port,
            at: exchange.at - ago)
    }

    func ownSession(of name: String) throws -> String {
        let token = try #require(try exchange(name).refreshToken)
        return try #require(SupabaseState.read(counterToken: token)?.session)
    }
}
