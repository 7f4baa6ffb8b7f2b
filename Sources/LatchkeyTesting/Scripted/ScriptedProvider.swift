public import Latchkey
import LatchkeySystem

/// A provider that plays a service from a script, and counts its calls.
///
/// Without a script it signs everybody in immediately and rotates at every refresh: refresh tokens
/// are called `refresh-1`, `refresh-2` …, access tokens `access-1`, `access-2` ….
public final class ScriptedProvider: SessionRevoking {
    /// The outcome of `begin` or `answer`.
    public indirect enum TurnStep: Sendable {
        /// Returns this turn.
        case turn(Turn)
        /// Returns a grant for the person with this name, on the shared credential if there is one.
        case granted(to: String)
        /// Throws this error.
        case failed(any Error)
        /// Does the step after the latch is opened.
        case held(Latch, then: TurnStep)
    }

    /// The outcome of a refresh.
    public indirect enum RefreshStep: Sendable {
        /// Returns a new refresh token and a new access token, both numbered.
        case rotated
        /// Returns a new access token under the same refresh token.
        case minted
        /// Returns this change.
        case refreshed(CredentialChange)
        /// Throws this refusal.
        case refused(Refusal)
        /// Throws this error: a ``/Latchkey/TransportError`` for a lost request.
        case failed(any Error)
        /// Does the step, after passing a refresh token to ``/Latchkey/ProviderContext/carry(_:)``.
        case carrying(Secret, then: RefreshStep)
        /// Does the step, after passing a refresh token to ``/Latchkey/ProviderContext/keep(_:)``.
        case keeping(Secret, then: RefreshStep)
        /// Does the step after the latch is opened.
        case held(Latch, then: RefreshStep)
    }

    /// The outcome of a revocation.
    public indirect enum RevocationStep: Sendable {
        /// Succeeds: the service has confirmed it.
        case done
        /// Does the step, after passing a refresh token to ``/Latchkey/ProviderContext/carry(_:)``.
        case carrying(Secret, then: RevocationStep)
        /// Throws this error.
        case failed(any Error)
        /// Does the step after the latch is opened.
        case held(Latch, then: RevocationStep)
    }

    private struct State {
        var turns: [TurnStep] = []
        var refreshes: [RefreshStep] = []
        var revocations: [RevocationStep] = []
        var made = 0
        var refreshing = 0
        var mostRefreshing = 0
        var sent: [String?] = []
        var revoked: [Revocation] = []
        var answers: [Answer] = []
        var requests: [SignInRequest] = []
        var principals: [Principal?] = []
    }

    /// The provider's rules.
    public let rules: ProviderRules
    /// How long the tokens it issues last.
    public let tokenLifetime: Duration
    private let state = Locked(State())
    private let begun = Tally()
    private let refreshed = Tally()
    private let revokes = Tally()

    /// Creates a provider with these rules and an empty script.
    public init(rules: ProviderRules = .scripted(), tokenLifetime: Duration = .seconds(3_600)) {
        self.rules = rules
        self.tokenLifetime = tokenLifetime
    }

    /// Adds the outcomes of the next calls of `begin` and `answer`, in order.
    public func script(turns: TurnStep...) { state.withLock { $0.turns += turns } }

    /// Adds the outcomes of the next refreshes, in order.
    public func script(refreshes: RefreshStep...) { state.withLock { $0.refreshes += refreshes } }

    /// Adds the outcomes of the next revocations, in order.
    public func script(revocations: RevocationStep...) { state.withLock { $0.revocations += revocations } }

    /// Runs the next turn of the script, or signs `alice` in.
    public func begin(
        _ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext
    ) async throws -> Turn {
        state.withLock { state in
            state.requests.append(request)
            state.principals.append(context.principal)
        }
        begun.add()
        return try await nextTurn(in: context)
    }

    /// Records the answer and runs the next turn. For ``/Latchkey/Answer/declined`` it throws `declined`.
    public func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
        state.withLock { state in
            state.answers.append(answer)
            state.principals.append(context.principal)
        }
        if case .declined = answer { throw AuthError(.declined, "the person declined") }
        return try await nextTurn(in: context)
    }

    /// Refreshes by the script.
    public func refresh(
        _ credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> CredentialChange {
        let step = state.withLock { state in
            state.sent.append(credential.refreshToken?.revealText())
            state.refreshing += 1
            state.mostRefreshing = max(state.mostRefreshing, state.refreshing)
            return state.refreshes.isEmpty ? .rotated : state.refreshes.removeFirst()
        }
        refreshed.add()
        defer { state.withLock { $0.refreshing -= 1 } }
        return try await play(step, for: want, in: context)
    }

    /// Revokes by the script.
    public func revoke(_ revocation: Revocation, in context: ProviderContext) async throws {
        var step = state.withLock { state in
            state.revoked.append(revocation)
            return state.revocations.isEmpty ? .done : state.revocations.removeFirst()
        }
        revokes.add()
        while true {
            switch step {
            case .held(let latch, let then):
                try await latch.wait()
                step = then
            case .carrying(let secret, let then):
                context.carry(secret)
                step = then
            case .failed(let error): throw error
            case .done: return
            }
        }
    }

    /// Returns a grant for `subject`, with the next numbered tokens.
    public func grant(subject: String = "alice", in context: ProviderContext) -> Grant {
        let number = nextNumber()
        let account = AccountID(subject: subject, of: rules.binding)
        let session = AuthSession(
            id: AuthSession.ID("session-\(number)"), account: account, label: subject,
            tokens: [.standard: token(number, in: context)])
        var grant = Grant(refreshToken: Secret("refresh-\(number)"), session)
        grant.shared = context.shared?.id
        return grant
    }
}

extension ScriptedProvider {
    /// How often `begin` was called.
    public var beginCount: Int { begun.count }
    /// How often `refresh` was called.
    public var refreshCount: Int { refreshed.count }
    /// How often `revoke` was called.
    public var revokeCount: Int { revokes.count }
    /// The most refreshes that ran at the same time.
    public var mostRefreshesAtOnce: Int { state.withLock { $0.mostRefreshing } }
    /// The refresh token that each refresh sent, in order.
    public var sentSecrets: [String?] { state.withLock { $0.sent } }
    /// The refresh token of each revocation, in order.
    public var revokedSecrets: [String?] { revocations.map { $0.credential.refreshToken?.revealText() } }
    /// The revocations, in order.
    public var revocations: [Revocation] { state.withLock { $0.revoked } }
    /// The answers, in order.
    public var answers: [Answer] { state.withLock { $0.answers } }
    /// The requests that conversations began with, in order.
    public var requests: [SignInRequest] { state.withLock { $0.requests } }

    /// The person who was already signed in at each `begin` and `answer`, in order.
    public var principals: [Principal?] { state.withLock { $0.principals } }

    /// Returns when `refresh` has been called at least `count` times.
    public func waitForRefreshes(_ count: Int) async throws { try await refreshed.wait(for: count) }

    /// Returns when `revoke` has been called at least `count` times.
    public func waitForRevocations(_ count: Int) async throws { try await revokes.wait(for: count) }

    private func nextNumber() -> Int {
        state.withLock { state in
            state.made += 1
            return state.made
        }
    }

    private func token(_ number: Int, in context: ProviderContext) -> AccessToken {
        AccessToken(Secret("access-\(number)"), lifetime: context.lifetime(tokenLifetime))
    }

    private func nextTurn(in context: ProviderContext) async throws -> Turn {
        var step = state.withLock { $0.turns.isEmpty ? nil : $0.turns.removeFirst() }
        while case .held(let latch, let then) = step {
            try await latch.wait()
            step = then
        }
        switch step {
        case .turn(let turn): return turn
        case .granted(let subject): return .signedIn(grant(subject: subject, in: context))
        case .failed(let error): throw error
        case .held, nil: return .signedIn(grant(in: context))
        }
    }

    private func play(_ first: RefreshStep, for want: TokenWant, in context: ProviderContext) async throws
        -> CredentialChange
    {
        var step = first
        while case .held(let latch, let then) = step {
            try await latch.wait()
            step = then
        }
        switch step {
        case .carrying(let secret, let then):
            context.carry(secret)
            return try await play(then, for: want, in: context)
        case .keeping(let secret, let then):
            await context.keep(secret)
            return try await play(then, for: want, in: context)
        case .rotated, .held:
            let number = nextNumber()
            let minted = [want.session: [want.audience: token(number, in: context)]]
            return CredentialChange(refreshToken: Secret("refresh-\(number)"), minted: minted)
        case .minted: return CredentialChange(minted: [want.session: [want.audience: token(nextNumber(), in: context)]])
        case .refreshed(let change): return change
        case .refused(let refusal): throw refusal
        case .failed(let error): throw error
        }
    }
}

extension ProviderRules {
    /// Returns rules for tests: strict rotation, every method and every capability.
    public static func scripted(
        _ provider: ProviderID = "scripted", refresh: RefreshRule = .killsFamily,
        revocation: RevocationRule = .anyToken, elevation: RefreshRule? = nil, sharesCredential: Bool = false,
        revocationEndsEveryGrant: Bool = false
    ) -> ProviderRules {
        ProviderRules(
            binding: ProviderBinding(provider: provider, authority: "https://id.example.com", client: "tests"),
            methods: [
                .password, .code, .link, .browser, .enterprise, .device, .idToken, .ticket, .passkey, .wallet,
                .anonymous, .refreshToken, .clientCredentials, .custom,
            ], refresh: refresh, capabilities: Set(ProviderCapability.allCases),
            customMethods: [CustomMethod(name: "badge", fields: [Ask.Field(name: "number", secret: true)])],
            revocation: revocation, elevation: elevation, sharesCredential: sharesCredential,
            revocationEndsEveryGrant: revocationEndsEveryGrant)
    }
}
