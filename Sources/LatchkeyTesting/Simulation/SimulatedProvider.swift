public import Latchkey
import LatchkeyJSON

/// A provider that talks to a ``SimulatedService`` over any transport.
@available(macOS 15, iOS 18, *)
public struct SimulatedProvider: RevocationReaching {
    /// The rules that fit how the service reacts to a token that was used before.
    public let rules: ProviderRules
    /// Whether revoking one session ends all of the same browser.
    public let mayReachFurther: Bool
    private static let authority = "https://id.example.com"

    /// Creates a provider for a service of this kind.
    public init(
        _ kind: SimulatedService.Kind, reuseInterval: Duration? = nil, revocationEndsEveryGrant: Bool = false,
        sharesSessions: Bool = false
    ) {
        mayReachFurther = sharesSessions
        let refresh: ProviderRules.RefreshRule =
            switch kind {
            case .strict: .killsFamily
            case .sameSuccessor: .sameSuccessor
            case .newSuccessor: .newSuccessor
            case .fixed: .fixed
            case .mints, .shares: .mints
            }
        var rules = ProviderRules.scripted(
            "simulated", refresh: refresh, sharesCredential: kind == .shares,
            revocationEndsEveryGrant: revocationEndsEveryGrant)
        rules.reuseInterval = reuseInterval
        self.rules = rules
    }

    /// Signs in the person that the password's identifier names. For a code it asks for one first;
    /// with a ticket it takes over a session.
    public func begin(
        _ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext
    ) async throws -> Turn {
        switch request {
        case .signIn(.password(let subject, _)): return try await grant(subject, in: context)
        case .signIn(.code(let subject, let channel)):
            let response = try await send("code", Array(subject.utf8), in: context)
            guard response.status == 200 else { throw AuthError(.serviceTrouble, "The service is in trouble.") }
            return .asked(
                Challenge(
                    id: context.world.randomName(), binding: rules.binding, ask: .code(over: channel, sentTo: nil),
                    state: ["subject": .string(subject)]))
        case .signIn(.ticket(let ticket)):
            let words = ticket.revealText().split(separator: " ").map(String.init)
            guard words.count == (rules.sharesCredential ? 4 : 2) else {
                throw AuthError(.untrusted(.malformed), "The ticket is malformed.")
            }
            let subject = words[words.count - 1]
            let session = AuthSession(
                id: AuthSession.ID(words[words.count - 2]), account: AccountID(subject: subject, of: rules.binding),
                label: subject)
            var grant = Grant(refreshToken: Secret(words[0]), session)
            if rules.sharesCredential { grant.state = ["client": .string(words[1])] }
            grant.isTakenOver = true
            return .signedIn(grant)
        case .stepUp:
            guard let principal = context.principal else {
                throw AuthError(.configuration(.invalid), "Nobody is there to step up.")
            }
            return .signedIn(try await raised(principal, in: context))
        default: throw AuthError(.configuration(.unsupported), "Only passwords, codes and tickets are simulated.")
        }
    }

    /// Returns the ticket that takes over a session from another client of the person. It contains
    /// that client's refresh token.
    public static func ticket(_ refresh: String, of subject: String) -> Secret { Secret("\(refresh) \(subject)") }

    /// Signs in with any code except `wrong`.
    public func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
        guard case .code(let code) = answer, let subject = challenge.state["subject"]?.string else {
            throw AuthError(.configuration(.unsupported), "Only codes are simulated.")
        }
        guard code.revealText() != "wrong" else { throw AuthError(.refused(.wrongInput), "The code is wrong.") }
        return try await grant(subject, in: context)
    }

    private func grant(_ subject: String, in context: ProviderContext) async throws -> Turn {
        guard !rules.sharesCredential else { return try await grantShared(subject, in: context) }
        let (refresh, token, rest) = try await tokens(at: "signin", Array(subject.utf8), in: context)
        var session = AuthSession(
            id: AuthSession.ID(refresh.revealText()), account: AccountID(subject: subject, of: rules.binding),
            label: subject, tokens: [.standard: token])
        if let browser = rest.first, browser != "-" { session.state = ["browser": .string(browser)] }
        return .signedIn(Grant(refreshToken: refresh, session))
    }

    /// Judges by the browsers that the service named at the two sign-ins.
    public func revoking(_ revoked: AuthSession, mayEnd kept: AuthSession) -> Bool {
        guard mayReachFurther, revoked.account == kept.account else { return false }
        guard let old = revoked.state["browser"]?.string, let new = kept.state["browser"]?.string else { return true }
        return old == new
    }

    /// Signs in on the client that others share, unless the service does not recognise it.
    private func grantShared(_ subject: String, in context: ProviderContext) async throws -> Turn {
        let sent = context.shared?.refreshToken?.revealText()
        let body = [sent, subject].compactMap(\.self).joined(separator: " ")
        let (refresh, token, rest) = try await tokens(at: "signin", Array(body.utf8), in: context)
        guard rest.count == 2 else { throw AuthError(.untrusted(.malformed), "The answer is malformed.") }
        let session = AuthSession(
            id: AuthSession.ID(rest[1]), account: AccountID(subject: subject, of: rules.binding), label: subject,
            tokens: [.standard: token])
        var grant = Grant(refreshToken: refresh, session, state: ["client": .string(rest[0])])
        if context.shared?.state["client"]?.string == rest[0] { grant.shared = context.shared?.id }
        return .signedIn(grant)
    }

    /// Returns the content of a request about a session.
    private func body(_ credential: Credential, _ session: AuthSession.ID?) -> [UInt8] {
        let token = credential.refreshToken?.reveal() ?? []
        guard rules.sharesCredential, let session = session ?? credential.sessions.first?.id else { return token }
        return token + [0x20] + Array(session.value.utf8)
    }

    /// Sends the refresh token.
    public func refresh(
        _ credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> CredentialChange {
        let (refresh, token, _) = try await tokens(at: "token", body(credential, want.session), in: context)
        // Some answers need another look-up before they can be judged: the new token is stored before that.
        let isLookedUp = refresh.reveal().reduce(0) { $0 &+ Int($1) } % 4 == 0
        if isLookedUp, !rules.sharesCredential, refresh != credential.refreshToken {
            await context.keep(refresh)
            try? await context.world.clock.sleep(until: context.world.clock.now() + .seconds(2))
        }
        return CredentialChange(
            refreshToken: refresh == credential.refreshToken ? nil : refresh,
            minted: [want.session: [want.audience: token]])
    }

    /// Proves a second factor, for `perform`. It advances the refresh token by two steps.
    public func verify(
        _ credential: Credential, _ session: AuthSession.ID? = nil, in context: ProviderContext
    ) async throws -> (CredentialChange, Bool) {
        let (refresh, token, _) = try await tokens(at: "verify", body(credential, session), in: context)
        let minted = (session ?? credential.sessions.first?.id).map { [$0: [Audience.standard: token]] } ?? [:]
        return (
            CredentialChange(refreshToken: refresh == credential.refreshToken ? nil : refresh, minted: minted), true
        )
    }

    /// Says from a refreshed credential that a second factor was proven since `before`.
    public static func shown(_ before: Credential, _ now: Credential) -> Bool? {
        proofs(now) > proofs(before) ? true : nil
    }

    /// An access token ends with how often a factor was proven, if one was.
    private static func proofs(_ credential: Credential) -> Int {
        let words = credential.sessions.first?.tokens[.standard]?.value.revealText().split(separator: ".") ?? []
        return words.count == 3 ? Int(words[2]) ?? 0 : 0
    }

    /// Does the same to end a step-up: the session continues on the new tokens.
    private func raised(_ principal: Principal, in context: ProviderContext) async throws -> Grant {
        let (change, _) = try await verify(principal.credential, principal.session.id, in: context)
        var grant = Grant(continuing: principal)
        grant.refreshToken = change.refreshToken ?? grant.refreshToken
        for index in grant.sessions.indices {
            grant.sessions[index].tokens.merge(change.minted[grant.sessions[index].id] ?? [:]) { $1 }
        }
        return grant
    }

    /// Sends the refresh token for the last time.
    public func revoke(_ revocation: Revocation, in context: ProviderContext) async throws {
        let response = try await send("revoke", body(revocation.credential, revocation.session), in: context)
        if rules.sharesCredential {
            let words = String(decoding: response.body, as: UTF8.self).split(separator: " ").map(String.init)
            let isToken = words.count == 2 && words[1] == "done" && words[0] != "-"
            if isToken { context.carry(Secret(words[0])) }
            guard response.status == 200, words.count == 2, words[1] == "done" else {
                throw AuthError(.serviceTrouble, "The service is in trouble.")
            }
            return
        }
        // The service answers without a body; a page comes from somebody else.
        guard response.status == 200, response.body.isEmpty else {
            throw AuthError(.serviceTrouble, "The service is in trouble.")
        }
    }

    private func send(
        _ path: String, _ body: [UInt8], in context: ProviderContext
    ) async throws -> TransportResponse {
        try await context.send(TransportRequest("POST", "\(Self.authority)/\(path)", body: body))
    }

    private func tokens(
        at path: String, _ body: [UInt8], in context: ProviderContext
    ) async throws -> (Secret, AccessToken, rest: [String]) {
        let response = try await send(path, body, in: context)
        let text = String(decoding: response.body, as: UTF8.self)
        switch response.status {
        case 200:
            let words = text.split(separator: " ").map(String.init)
            if words.last == "disagrees" {
                context.carry(Secret(words[0]))
                throw AuthError(.untrusted(.subject), "The answer is about another person.")
            }
            let count = rules.sharesCredential ? 5 : mayReachFurther && path == "signin" ? 4 : 3
            guard words.count == count, let lifetime = Int(words[2]) else {
                throw AuthError(.untrusted(.malformed), "The answer is malformed.")
            }
            let token = AccessToken(Secret(words[1]), lifetime: context.lifetime(.seconds(lifetime)))
            return (Secret(words[0]), token, Array(words.dropFirst(3)))
        case 400 where text == "invalid_grant": throw Refusal(.definite, code: "invalid_grant")
        case 400 where text == "invalid_request":
            throw Refusal(.unexplained, code: "invalid_request", issuedNothing: true)
        case 400: throw Refusal(.unexplained, code: "empty")
        case 429:
            let rest = RetryAfter.read(response.fields, now: context.world.clock.wall())
            throw AuthError(.rateLimited, "The service is busy.", retryAfter: rest)
        case 500:
            let words = text.split(separator: " ")
            let isTheirs = words.count == 5 && words[3] == context.shared?.state["client"]?.string ?? ""
            if words.count == 3 || isTheirs || (words.count == 5 && path != "signin") {
                context.carry(Secret(String(words[0])))
            }
            throw AuthError(.serviceTrouble, "The service is in trouble.")
        default: throw AuthError(.serviceTrouble, "The service is in trouble.")
        }
    }
}
