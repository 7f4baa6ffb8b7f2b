public import Latchkey
import LatchkeySystem

/// The contract of every ``/Latchkey/AuthProvider``, over a scripted, recorded or live service.
///
/// | Clause | Checked by |
/// | --- | --- |
/// | the rules never change | before and after everything else |
/// | the rules name nothing that the provider lacks | signing out others, custom methods |
/// | a method that the rules do not name is configuration(.unsupported), and nothing is sent | each other method |
/// | signing in comes to a grant with a current session of this configuration | each ``Conversation``; creating an account, recovering one and linking may continue elsewhere |
/// | a challenge has an id of 128 bits and the configuration's binding | each conversation |
/// | a declined challenge is declined | each conversation that has a challenge |
/// | a declined sign-in is over at the service | the right answer afterwards, if a conversation says so |
/// | what is asked for once more is sent once more | each code and link: a request or an error, and its answer still signs in |
/// | turns print neither what was typed nor a token | description, reflection and dump of each |
/// | refreshing brings a token for what is wanted | the first conversation whose credential refreshes |
/// | a token lasts from its receipt on, and neither no time nor for ever | at a sign-in and a refresh: a second to ten years |
/// | a wait that the service asks for is told | 429 to a refresh, as `rateLimited` |
/// | a refresh that did not reach the service is no Refusal, and says that it was not sent | `unreachable` |
/// | a refresh whose answer is lost is no Refusal | `timedOut`, `interrupted`, `tls` |
/// | trouble of the service or of a gateway is no definite Refusal | 429, 500, 502, 503, 504 with foreign bodies |
/// | three refreshes in a chain bring a token each | each such conversation, each with what the one before brought |
/// | a refresh is one POST | the three, and one that is lost or fails, counted; lookups beforehand do not count |
/// | a spent refresh token is answered as the rules say | the one before the newest, if refreshing rotates |
/// | a credential refreshes, where the rules say so | one of the conversations, unless the rules say `fixed` |
/// | an answer without the service's word is no definite Refusal | 400, 401, 403, 404, 409 with empty bodies, pages, a gateway's errors, other errors |
/// | a success without a token is an error, and no Refusal | 200 with no content, a page, an empty object; the service's own answer with the token left out, empty, of another kind |
/// | the refusals that the author names are of their kind | each ``RefusedRefresh`` |
/// | signing in twice gives the same account, and other challenges | each conversation except `anonymous` |
/// | one person has one account, however they sign in | the conversations that name the person |
/// | a wrong answer signs nobody in, and is refused as one | if a conversation has a wrong answer; for an address, any error |
/// | an address that was not asked for is an error, and nothing is sent | three foreign addresses, at each visit |
/// | a redirect without its own state, or with two values, is an error, and nothing is sent | at each visit whose redirect has a `state`: missing, empty, cut, longer, in other letters; two of `state`, two of `code` |
/// | a forged redirect leaves the visit open, and the person's own still counts | the same: each is a ``/Latchkey/StillOpen``, and then the right one signs in |
/// | the redirect of another sign-in is an error, and nothing is sent | two visits at one service, if a redirect has a `state` |
/// | each visit has a state and a proof key of its own | two visits: `state` and `nonce` of 128 bits, the hash of a verifier (RFC 7636) that is not sent itself, unless the conversation says that the service has none |
/// | a visit leads to a page of the service | at the origin of the binding's authority or of the conversation's pages, also if an answer names another |
/// | another process can answer a challenge | another value of the provider, with the stored challenge and an empty cache |
/// | after a wrong answer the right one still signs in | each wrong answer that is no address |
/// | an answer without the service's word is no refusal of what was typed | each step of a sign-in: 400 to 504 with foreign bodies |
/// | a sign-in whose answer is lost is sent once, and is no refusal | each step: `timedOut`, `interrupted` |
/// | a sign-in that does not reach the service says so | each step: `unreachable` |
/// | a wait that the service asks for at a sign-in is told | each step: 429, as `rateLimited` |
/// | the refusals of a sign-in that the author names are told as what they are | each ``RefusedSignIn``, at each step |
/// | a sign-in whose answer names no person, or brings no token, is an error | the service's own answers, with either left out, empty, or a list |
/// | a sign-in believes no ID token that is made for another one | the same with another nonce, audience, issuer, or an end that has passed |
/// | a token of an unknown type is an error | the same, at a sign-in and a refresh, if the answer has a `token_type` |
/// | an answer to a refresh that names another person is an error, and no Refusal | the service's own answer with another subject, if it names one |
/// | the new refresh token of an answer that is refused is carried | the service's own answer without an access token (``/Latchkey/ProviderContext/carry(_:)``) |
/// | a lifetime that makes no sense is not believed | the service's own answer with zero, below zero, huge, or no number |
/// | a device whose clock is wrong, and knows by how much, sees the same times | two hours slow: challenges, tokens, a wait until a date (``/Latchkey/ProviderContext/serverNow``) |
/// | no token lasts longer on a device whose clock is slow | the same, not known yet: the answer's own `Date` or `iat` counts |
/// | a session has its label, however the person signs in, and keeps it | the label that the conversation names, the same for each way of one person; a refresh that lists sessions |
/// | another configuration has another binding, and other accounts | each of `others` |
/// | the address of a request holds neither what was typed nor a token | a sign-in, a refresh, a revocation |
/// | a challenge keeps nothing that was typed | its state, which is stored |
/// | errors print neither what was typed nor a token | over a service that repeats what it gets |
/// | a call that is cancelled ends, and says nothing of the service | each, at a service that never answers |
/// | a revocation that did not reach the service throws | for ``/Latchkey/SessionRevoking`` |
/// | a revocation that the service could not carry out throws | 429, 500, 503, for ``/Latchkey/SessionRevoking`` |
/// | a revocation returns when the service knows | for ``/Latchkey/SessionRevoking`` |
/// | a revocation of what is gone returns | the same once more, if the service takes part |
public struct ProviderContract<Provider: AuthProvider>: Sendable {
    let conversations: [Conversation]
    let refusals: [RefusedRefresh]
    let refusedSignIns: [RefusedSignIn]
    let others: [Provider]
    private let making: @Sendable () async throws -> Setting
    let clauses: Clauses

    /// Creates a contract over the settings that `make` creates, each with its service in the same state.
    ///
    /// - Parameters:
    ///   - conversations: Ways to sign in that succeed.
    ///   - refusals: What the service answers to a refresh that it refuses, one for each code that the
    ///     provider knows.
    ///   - refusedSignIns: What the service answers to a step of a sign-in that it refuses.
    ///   - others: The provider with other configurations: at another service, for another tenant, with another client.
    ///   - timeLimit: How long a clause may take, in real time. A clause that takes longer is broken
    ///     and left behind.
    ///   - make: Creates what is tested. It is called once for each clause.
    public init(
        _ conversations: [Conversation], refusals: [RefusedRefresh] = [], refusedSignIns: [RefusedSignIn] = [],
        others: [Provider] = [], timeLimit: Duration = ClauseLimit.standard,
        _ make: @escaping @Sendable () async throws -> Setting
    ) {
        self.conversations = conversations
        self.refusals = refusals
        self.refusedSignIns = refusedSignIns
        self.others = others
        making = make
        clauses = Clauses(contract: "ProviderContract", limit: timeLimit)
    }

    /// Checks every clause.
    public func run() async throws {
        let setting = try await make()
        let rules = Self.shown(setting.provider.rules)
        try await honestRules(setting)
        try await unsupportedMethods()
        try await otherBindings()
        for conversation in conversations {
            try await signingIn(conversation)
            try await keepingSecrets(conversation)
            try await twice(conversation)
            try await declining(conversation)
            try await endedByDeclining(conversation)
            try await sentOnceMore(conversation)
            try await wrongAnswers(conversation)
            try await onceMoreAfterAll(conversation)
            try await foreignRedirects(conversation)
            try await forgedRedirects(conversation)
            try await otherVisits(conversation)
            try await visitedPages(conversation)
            try await refreshing(conversation)
            try await foreignAnswers(conversation)
            try await chain(conversation)
            try await steps(conversation)
            try await brokenSignIns(conversation)
            try await brokenRefreshes(conversation)
            try await wrongClock(conversation)
            try await addresses(conversation)
            try await cancelling(conversation)
            try await revoking(conversation)
        }
        try await onePerson()
        try await labels()
        try await clauses.clause("a credential refreshes, where the rules say so") {
            guard setting.provider.rules.refresh != .fixed else { return }
            for conversation in conversations where try await refreshable(conversation) != nil { return }
            throw Broken("no conversation comes to one that does")
        }
        try await clauses.clause("the rules never change") {
            try expect(Self.shown(setting.provider.rules) == rules, "they were other ones the second time")
            try expect(Self.shown(try await make().provider.rules) == rules, "another value has other ones")
        }
    }

    private static func shown(_ rules: ProviderRules) -> String {
        let methods = rules.methods.map(\.rawValue).sorted()
        let binding = rules.binding
        let capabilities = rules.capabilities.map(\.rawValue).sorted()
        return "\(binding.provider) \(binding.authority) \(binding.client) \(methods) \(rules.refresh) \(capabilities)"
            + " \(rules.customMethods) \(rules.revocation) \(rules.elevation)"
            + " \(rules.sharesCredential) \(rules.revocationEndsEveryGrant)"
    }

    /// Creates another setting.
    func make() async throws -> Setting {
        try await clauses.given("what makes a provider and its service") { try await making() }
    }

    private func honestRules(_ setting: Setting) async throws {
        try await clauses.clause("the rules name nothing that the provider lacks") {
            let rules = setting.provider.rules
            let endsMore = !rules.capabilities.isDisjoint(with: [.signOutOfOthers, .signOutEverywhere])
            try expect(!endsMore || setting.provider is any SessionRevoking, "it cannot end sessions")
            try expect(
                rules.methods.contains(.custom) == !rules.customMethods.isEmpty,
                "its methods and its custom methods do not go together")
            try expect(
                Set(rules.customMethods.map(\.name)).count == rules.customMethods.count,
                "two custom methods have one name")
        }
    }

    private func unsupportedMethods() async throws {
        let clause = "a method that the rules do not name is configuration(.unsupported), and nothing is sent"
        try await clauses.clause(clause) {
            for method in SignInMethod.samples {
                let setting = try await make()
                guard !setting.provider.rules.methods.contains(method.kind) else { continue }
                let silent = SilentTransport()
                try await expectError("configuration(.unsupported)", where: { $0 == .configuration(.unsupported) }) {
                    _ = try await setting.provider.begin(
                        .signIn(method), SignInOptions(), in: setting.context(over: silent))
                }
                try expect(silent.count == 0, "a request was sent for \(method.kind.rawValue)")
            }
        }
    }

    static var signingInClause: String { "signing in comes to a grant with a current session of this configuration" }

    /// Runs the conversation. `seeing` receives every turn, and ends the conversation by returning
    /// `true`. An error on the way counts against signing in, whichever clause is being checked.
    func follow(
        _ conversation: Conversation, in setting: Setting, seeing: (Turn) async throws -> Bool = { _ in false }
    ) async throws -> Grant? {
        let (provider, context) = (setting.provider, try await self.context(of: conversation, in: setting))
        var turn = try await clauses.step(of: Self.signingInClause) {
            try await provider.begin(conversation.request, conversation.options, in: context)
        }
        for _ in 1...32 {
            if try await seeing(turn) { return nil }
            switch turn {
            case .signedIn(let grant): return grant
            case .continuesElsewhere: return nil
            case .asked(let challenge):
                let answer = try await conversation.answered(challenge, clauses)
                turn = try await clauses.step(of: Self.signingInClause) {
                    try await provider.answer(answer, to: challenge, in: context)
                }
            }
        }
        return try await clauses.step(of: Self.signingInClause) {
            throw Broken("the conversation did not end within 32 turns")
        }
    }

    /// Returns the context of the conversation's calls, with a signed-in person if the conversation needs one.
    func context(of conversation: Conversation, in setting: Setting) async throws -> ProviderContext {
        var context = setting.context
        if conversation.request.isAboutPrincipal { context.principal = try await principal(in: setting) }
        return context
    }

    /// Returns a signed-in person, from the first conversation that signs in.
    private func principal(in setting: Setting) async throws -> Principal? {
        guard let first = conversations.first(where: { !$0.request.mayEndElsewhere && !$0.request.isAboutPrincipal }),
            let grant = try await follow(first, in: setting),
            let session = grant.sessions.first(where: { $0.id == grant.current })
        else { return nil }
        let credential = Credential(
            id: Credential.ID("contract"), binding: setting.provider.rules.binding, refreshToken: grant.refreshToken,
            sessions: grant.sessions, state: grant.state)
        return Principal(credential, session: session)
    }
}

extension ProviderContract.Conversation {
    /// Returns the person's answer.
    func answered(_ challenge: Challenge, _ clauses: Clauses) async throws -> Answer {
        try await clauses.given("what answers a challenge") { try await answering(challenge) }
    }

    /// Returns the person's wrong answer.
    func erred(_ challenge: Challenge, _ clauses: Clauses) async throws -> Answer? {
        try await clauses.given("what answers a challenge wrongly") { try await erring(challenge) }
    }
}

extension ProviderContract.Setting {
    func context(over transport: any HTTPTransport) -> ProviderContext {
        var context = context
        context.transport = transport
        return context
    }
}

extension SignInMethod {
    /// One of each kind.
    static let samples: [SignInMethod] = [
        .password(identifier: "ada@example.com", Secret("correct horse")), .code(identifier: "ada", over: .mail),
        .link(identifier: "ada@example.com"), .browser(), .enterprise(domain: "example.com"), .device,
        .idToken(Secret("a.b.c"), issuer: "https://id.example.com", nonce: nil), .ticket(Secret("ticket")), .passkey,
        .refreshToken(Secret("refresh")),
        .wallet(chain: "ethereum"), .anonymous, .clientCredentials, .custom(name: "contract"),
    ]
}
