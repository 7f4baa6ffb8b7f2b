import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore
import LatchkeyPluginKit

/// What a conversation keeps between two turns, stored in the challenge. Of what the person typed
/// it contains only the name. `attempt` is the service's id of the attempt; `kind` says whether it
/// is a `sign_in`, a `sign_up`, the `verify` of a session, a `task` of one that was `made` here or before, or of a person who is `unknown`; `token` is the current client token; `asked` is the name of a person who was led elsewhere;
/// `shared` is the credential that the session will join; `creates` says whether a person without an account gets one; `level` is the factor that is open;
/// `visited` is the other service that a sign-up was led to; `visitedAt` and `second` are of a step-up at the person's own sign-on: when it began, and whether a second factor follows.
/// `strategy` and `id` say how it is proven; `redirect` is the address that the browser returns to now, `back` the one for whatever needs a browser later.
typealias Pending = [String: JSON]

extension Pending {
    func with(_ changes: [String: JSON?]) -> Pending { changes.reduce(into: self) { $0[$1.key] = $1.value } }
}

/// The turns of a conversation.
struct ClerkConversation: Sendable {
    var service: ClerkService
    var pending: Pending
    /// Whether the grant covers all people who are signed in on the client.
    var takesAll = false

    var provider: ClerkProvider { service.provider }

    init(_ service: ClerkService, _ pending: Pending = [:]) { (self.service, self.pending) = (service, pending) }

    func start(_ request: SignInRequest, _ options: SignInOptions) async throws -> Turn {
        let locale = options.locales.first
        switch request {
        case .signIn(.password(let who, let password)):
            return try await signIn([
                "strategy": "password", "identifier": who, "password": password.revealText(), "locale": locale,
            ])
        case .signIn(.code(let who, let channel)) where channel == .mail || channel == .sms:
            return try await signIn(
                ["strategy": Strategy.code(channel), "identifier": who, "locale": locale],
                with: ["level": "first", "strategy": .string(Strategy.code(channel)), "who": .string(who)])
        case .signIn(.ticket(let ticket)):
            return try await signIn(["strategy": "ticket", "ticket": ticket.revealText()])
        case .signIn(.idToken(let token, let issuer, _)):
            guard let strategy = Strategy.ofIDToken(issuer) else { throw unsupported("ID tokens of this issuer") }
            return try await signIn(["strategy": strategy, "token": token.revealText()])
        case .signIn(.browser(let connection?)):
            guard let redirect = options.redirect else { throw unsupported("a browser without a redirect address") }
            let strategy = connection.hasPrefix("oauth_") ? connection : "oauth_\(connection)"
            return try await signIn(
                ["strategy": strategy, "redirect_url": redirect], with: ["redirect": .string(redirect)])
        case .signIn(.enterprise(let domain)):
            guard let redirect = options.redirect else { throw unsupported("a browser without a redirect address") }
            guard let who = domain.contains("@") ? domain : options.loginHint, who.contains("@") else {
                throw provider.error(
                    .configuration(.invalid), "Enterprise SSO at Clerk needs the person's mail address.")
            }
            return try await signIn(
                ["strategy": "enterprise_sso", "identifier": who, "redirect_url": redirect],
                with: ["redirect": .string(redirect)])
        case .signIn(.link(let who)):
            guard let redirect = options.redirect else { throw unsupported("a link without a redirect address") }
            return try await sendLink(to: who, redirect)
        case .signIn(.passkey):
            return try await signIn(["strategy": "passkey"], with: ["level": "first", "strategy": "passkey"])
        case .recover(let who):
            let strategy = Strategy.reset(who)
            return try await signIn(
                ["strategy": strategy, "identifier": who],
                with: ["level": "first", "strategy": .string(strategy), "who": .string(who)])
        case .signUp(let form): return try await signUp(form, locale: locale)
        case .stepUp(let wanted, _): return try await stepUp(wanted)
        default: throw unsupported("this way to sign in")
        }
    }

    func take(_ answer: Answer, to challenge: Challenge) async throws -> Turn {
        if pending["kind"] == "unknown" { return try await answerUnknown(answer, to: challenge) }
        if pending["kind"] == "task" { return try await answerTask(answer, to: challenge) }
        switch (answer, challenge.ask, pending["kind"]?.string) {
        case (.declined, _, _): throw provider.error(.declined, "The person declined.")
        case (.redirected(let address), .visit, _): return try await returned(to: address)
        case (.redirected(let address), .openedLink, _): return try await opened(address)
        case (.resend, .openedLink, "sign_up"): return try await verifyByLink()
        case (.resend, .openedLink, _): return try await prepareLink()
        case (.choice(let id), .choose, "sign_up"): return try await accepted(id)
        case (.choice(let id), .choose, _): return try await open(id)
        case (.password(let password), .password, _):
            return try await attempt(["strategy": "password", "password": password.revealText()])
        case (.assertion(let credential), .passkey, _):
            return try await attempt(["strategy": "passkey", "public_key_credential": credential.revealText()])
        case (.password(let password), .newPassword, "sign_in"):
            return try await next(
                service.post("\(path)/reset_password", FormParameters(of: ["password": password.revealText()])))
        case (.code(let code), .code, "sign_in"), (.code(let code), .code, "verify"), (.code(let code), .totp, _),
            (.code(let code), .backupCode, _):
            return try await attempt(["strategy": pending["strategy"]?.string, "code": code.revealText()])
        case (.resend, .code, "sign_in"), (.resend, .code, "verify"): return try await prepare()
        case (.code(let code), .code, "sign_up"):
            let form = FormParameters(of: ["strategy": pending["strategy"]?.string, "code": code.revealText()])
            return try await nextOfSignUp(service.post("\(path)/attempt_verification", form))
        case (.resend, .code, "sign_up"): return try await verify()
        case (.fields(let fields), .fields, "sign_up"): return try await complete(fields)
        case (.fields(let fields), .fields, "sign_in"):
            return try await signIn(["identifier": fields["identifier"]?.revealText()])
        default: throw unsupported("this answer")
        }
    }

    /// The path of the attempt.
    var path: String {
        let id = FormEncoding.encode(pending["attempt"]?.string ?? "")
        return switch pending["kind"]?.string {
        case "sign_up": "/client/sign_ups/\(id)"
        case "verify": "/client/sessions/\(id)/verify"
        case "task": "/client/sessions/\(id)"
        default: "/client/sign_ins/\(id)"
        }
    }

    func asked(_ ask: Ask, _ changes: [String: JSON?] = [:]) -> Turn {
        // For signed-in people the engine has the client token, and stores a newer one.
        let isTheirs = service.context.principal != nil || onShared != nil
        let token = isTheirs ? nil : service.clientToken
        let state = pending.with(changes).with([
            "token": token.map { .string($0.revealText()) }, "shared": onShared.map { .string($0.value) },
        ])
        return .asked(
            Challenge(
                id: service.context.world.randomName(), binding: provider.rules.binding, ask: ask,
                resendAfter: Self.resendAfter(ask), state: .object(state)))
    }

    /// The service sends another code or mail at once, and says when there were too many.
    private static func resendAfter(_ ask: Ask) -> Duration? {
        switch ask {
        case .code, .openedLink: .zero
        default: nil
        }
    }

    func unsupported(_ what: String) -> AuthError {
        provider.error(.configuration(.unsupported), "Clerk, or this provider, does not offer \(what).")
    }

    /// Returns the grant of the session that this conversation has made. If it is refused, the session is handed back, to
    /// be ended: it would live on at the service, and no program would know of it.
    func made(_ session: String) async throws -> Turn {
        var conversation = self
        conversation.pending["made"] = true
        do { return try await conversation.granted(session) } catch {
            if service.isOfNewClient, let token = service.clientToken {
                let binding = provider.rules.binding
                let unused = AuthSession(id: AuthSession.ID(session), account: AccountID(unnamedAt: binding))
                service.context.giveBack(
                    Credential(
                        id: Credential.ID(service.context.world.randomName()), binding: binding, refreshToken: token,
                        sessions: [unused]))
            }
            throw error
        }
    }

    /// Returns the grant of the session that was made, with its client token; or asks for what the session lacks.
    func granted(_ session: String) async throws -> Turn {
        let client = JSONField(try await service.get("/client"))
        guard let found = try client["sessions"].array().first(where: { $0["id"].value?.string == session }) else {
            throw provider.error(.untrusted(.claims), "The client has no session of the name that was told.")
        }
        guard let token = service.clientToken, !token.isEmpty else {
            throw provider.error(.untrusted(.malformed), "The service gave no client token.")
        }
        try await checkPerson(of: session, found["user"].value)
        if !takesAll, let entry = found.value, let turn = try await unfinished(entry) { return turn }
        var made = try SessionWire.session(found, of: provider, in: service.context)
        if let jwt = found["last_active_token"]["jwt"].value?.string, !jwt.isEmpty {
            let token = try provider.accessToken(
                Secret(jwt), of: made, in: service.context, seen: service.context.serverNow)
            if !ClerkProvider.isPending(token) { made.tokens[.standard] = token }
        }
        // A session that was signed in here before keeps what this machine knows of it.
        if case .object(let known)? = service.context.shared?.session(made.id)?.state,
            case .object(let told) = made.state
        {
            made.state = .object(known.merging(told) { _, new in new })
        }
        let id = try client["id"].string()
        var others: [AuthSession] = []
        if takesAll {
            others = try client["sessions"].array().compactMap { entry in
                guard ["active", "pending"].contains(entry["status"].value?.string),
                    entry["id"].value?.string != session
                else { return nil }
                return try SessionWire.session(entry, of: provider, in: service.context)
            }
        }
        var grant = Grant(refreshToken: token, made, state: ["client": .string(id)])
        grant.sessions += others
        grant.shared = onShared
        return .signedIn(grant)
    }

    /// Refuses the session of another person than the one who was led to another service: that service says who comes
    /// back. What nobody has then is ended.
    private func checkPerson(of session: String, _ user: JSON?) async throws {
        guard let who = pending["asked"]?.string, user.map({ !ClerkProvider.isPerson($0, who) }) ?? true else { return }
        if !service.isOfNewClient, service.context.shared?.session(AuthSession.ID(session)) == nil {
            _ = try? await service.post("/client/sessions/\(FormEncoding.encode(session))/remove")
        }
        throw provider.error(
            .refused(.otherPerson), "Another person signed in than was asked for. That sign-in is not kept.")
    }

    /// The credential that the session joins; `nil` if there is none, or if the service has
    /// switched to a new client of its own.
    var onShared: Credential.ID? {
        guard let shared = service.context.shared, pending["shared"]?.string == shared.id.value, !service.isForeign
        else {
            return nil
        }
        return shared.id
    }
}
