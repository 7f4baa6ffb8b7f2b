import Latchkey
import LatchkeySystem

extension ProviderContract {
    func signingIn(_ conversation: Conversation) async throws {
        try await clauses.clause(Self.signingInClause) {
            let setting = try await make()
            guard let grant = try await follow(conversation, in: setting) else {
                try expect(conversation.request.mayEndElsewhere, "there is no grant")
                return
            }
            let binding = setting.provider.rules.binding
            guard let current = grant.sessions.first(where: { $0.id == grant.current }) else {
                throw Broken("the current session is not among the sessions")
            }
            let prefix = AccountID(subject: "", of: binding).value
            try expect(
                current.account.value.hasPrefix(prefix) && current.account.value != prefix,
                "the account does not name this configuration and a subject")
            try expect(current.tokens.values.allSatisfy { !$0.value.isEmpty }, "an access token is empty")
            try expect(grant.refreshToken?.isEmpty != true, "the refresh token is empty")
        }
        try await clauses.clause("a challenge has an id of 128 bits and the configuration's binding") {
            let setting = try await make()
            _ = try await follow(conversation, in: setting) { turn in
                guard case .asked(let challenge) = turn else { return false }
                // 22 characters of base64 hold 128 bits, and no shorter alphabet is in use.
                try expect(challenge.id.utf8.count >= 22, "its id is too short")
                try expect(challenge.binding == setting.provider.rules.binding, "its binding is another")
                return false
            }
        }
        try await clauses.clause("turns print neither what was typed nor a token") {
            let typed = Locked<[Secret]>([])
            _ = try await follow(conversation.noting(typed), in: try await make()) { turn in
                for secret in turn.tokens + typed.withLock({ $0 }) where secret.count >= 8 {
                    try expect(!Printed.shows(secret, in: turn), "a turn prints one")
                    let isShown = turn.shownTexts.contains { $0.contains(secret.revealText()) }
                    try expect(!isShown, "a turn shows one to the presenter")
                }
                return false
            }
        }
    }

    func declining(_ conversation: Conversation) async throws {
        try await clauses.clause("a declined challenge is declined") {
            let setting = try await make()
            _ = try await follow(conversation, in: setting) { turn in
                guard case .asked(let challenge) = turn else { return true }
                try await expectError("declined", where: { $0 == .declined }) {
                    _ = try await setting.provider.answer(.declined, to: challenge, in: setting.context)
                }
                return true
            }
        }
    }

    func refreshing(_ conversation: Conversation) async throws {
        guard let (setting, credential, want) = try await refreshable(conversation) else { return }
        // This comes first: a provider that never refreshes would break the other clauses too.
        try await clauses.clause("refreshing brings a token for what is wanted") {
            let change = try await setting.provider.refresh(credential, for: want, in: setting.context)
            let token = change.minted[want.session]?[want.audience]
            try expect(token?.value.isEmpty == false, "there is none")
            if let next = change.refreshToken { try expect(!next.isEmpty, "the new refresh token is empty") }
        }
        if let (other, credential, want) = try await refreshable(conversation) {
            try await lifetimes(other, credential, want)
        }
        try await clauses.clause(
            "a refresh that did not reach the service is no Refusal, and says that it was not sent"
        ) {
            let failure = TransportError(.unreachable, wasSent: false)
            let error = try await refreshError(setting, credential, want) { _ in throw failure }
            try expect(
                error is NotSent || (error as? TransportError)?.wasSent == false, "it threw \(Clauses.shown(error))")
        }
        try await sentOnce(setting, credential, want)
        try await clauses.clause("a refresh whose answer is lost is no Refusal") {
            for code in [TransportError.Code.timedOut, .interrupted, .tls] {
                let failure = TransportError(code, wasSent: true)
                let error = try await refreshError(setting, credential, want) { _ in throw failure }
                try expect(!(error is Refusal), "it threw a Refusal")
                try expect((error as? TransportError)?.wasSent != false, "it says that nothing was sent")
            }
        }
        try await clauses.clause("trouble of the service or of a gateway is no definite Refusal") {
            for status in [429, 500, 502, 503, 504] {
                for body in ["", "<html>invalid_grant</html>", "{\"error\":\"server_error\"}"] {
                    let answer = TransportResponse(status: status, body: Array(body.utf8))
                    let error = try await refreshError(setting, credential, want) { _ in answer }
                    try expect((error as? Refusal)?.kind != .definite, "\(status) was taken for a definite Refusal")
                }
            }
        }
        try await waits(setting, credential, want)
    }

    func revoking(_ conversation: Conversation) async throws {
        guard let (setting, credential, _) = try await refreshable(conversation),
            let provider = setting.provider as? any SessionRevoking
        else { return }
        try await clauses.clause("a revocation that did not reach the service throws") {
            do {
                try await provider.revoke(Revocation(credential), in: setting.context(over: SilentTransport()))
            } catch { return }
            throw Broken("it returned as if the service knew")
        }
        try await revokedInVain(setting, credential, provider)
        try await clauses.clause("a revocation returns when the service knows") {
            try await provider.revoke(Revocation(credential), in: setting.context)
        }
        try await revokedBefore(setting, credential, provider)
    }

    func refreshable(_ conversation: Conversation) async throws -> (Setting, Credential, TokenWant)? {
        try await clauses.clause(Self.signingInClause) {
            let setting = try await make()
            guard let grant = try await follow(conversation, in: setting), grant.refreshToken != nil else { return nil }
            let credential = Credential(
                id: Credential.ID("contract"), binding: setting.provider.rules.binding,
                refreshToken: grant.refreshToken,
                sessions: grant.sessions, state: grant.state)
            let audience = conversation.options.audience
            let held = credential.session(grant.current)?.tokens[audience]
            return (setting, credential, TokenWant(session: grant.current, audience: audience, newerThan: held))
        }
    }

    func refreshError(
        _ setting: Setting, _ credential: Credential, _ want: TokenWant,
        _ answer: @escaping @Sendable (TransportRequest) throws -> TransportResponse
    ) async throws -> any Error {
        do {
            let context = setting.context(over: SilentTransport(answer))
            _ = try await setting.provider.refresh(credential, for: want, in: context)
        } catch {
            return error
        }
        throw Broken("it came to a refresh")
    }
}

extension Turn {
    /// Every token in it.
    fileprivate var tokens: [Secret] {
        guard case .signedIn(let grant) = self else { return [] }
        return grant.sessions.flatMap { $0.tokens.values.map(\.value) } + [grant.refreshToken].compactMap { $0 }
    }
}

extension SignInRequest {
    /// Whether it needs a person who is signed in.
    var isAboutPrincipal: Bool {
        switch self {
        case .link, .stepUp: true
        default: false
        }
    }

    /// Whether it may end without a session.
    var mayEndElsewhere: Bool {
        switch self {
        case .signIn, .stepUp: false
        default: true
        }
    }

    /// The secrets that were typed at the start.
    var secrets: [Secret] {
        switch self {
        case .signIn(.password(_, let secret)), .signIn(.idToken(let secret, _, _)), .signIn(.ticket(let secret)):
            [secret]
        case .signIn(.custom(_, let fields)), .link(.custom(_, let fields), _): Array(fields.values)
        case .signUp(let form): [form.password].compactMap { $0 }
        default: []
        }
    }
}
