import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// One step of signing in.
struct Conversation: Sendable {
    let provider: SupabaseProvider
    let context: ProviderContext
    let options: SignInOptions

    /// How long to wait for a mail's code or link; the service may be stricter.
    static let mailLifetime = Duration.seconds(3_600)
    /// How long a visit may take.
    static let visitLifetime = Duration.seconds(600)
    /// How long to wait after a mail or message before sending another one, if the service does not say.
    static let resendGap = Duration.seconds(60)

    var service: SupabaseService { SupabaseService(provider: provider, context: context) }
    var redirect: String? { options.redirect ?? provider.redirect }

    func begin(_ request: SignInRequest) async throws -> Turn {
        if let redirect { try provider.check(redirect: redirect) }
        switch request {
        case .signIn(let method): return try await signIn(method)
        case .signUp(let form):
            var pending = Pending(form.password == nil ? .code : .signUp)
            pending.identifier = form.identifier
            pending.data = form.fields
            pending.makesAccount = true
            return try await guarded(pending) { pending in
                try await signUp(pending, form.password)
            }
        case .recover(let identifier):
            var pending = Pending(.recovery)
            pending.identifier = identifier
            pending.isRecovery = true
            return try await guarded(pending, send)
        case .link(let method, _): return try await link(method)
        case .stepUp: throw unsupported
        }
    }

    private func signIn(_ method: SignInMethod) async throws -> Turn {
        switch method {
        case .password(let identifier, let password):
            var pending = Pending(.password)
            pending.identifier = identifier
            return try await guarded(pending) { pending in try await self.password(pending, password) }
        case .code(let identifier, let channel):
            var pending = Pending(.code)
            pending.identifier = identifier
            pending.channel = channel == .mail ? nil : channel.rawValue
            pending.makesAccount = provider.createsAccounts
            guard (channel == .mail) == Identifier(identifier).isMail else {
                throw AuthError(
                    .configuration(.invalid), "The code's channel does not go with the address.",
                    provider: provider.name)
            }
            return try await guarded(pending, send)
        case .link(let identifier):
            var pending = Pending(.link)
            pending.identifier = identifier
            pending.makesAccount = provider.createsAccounts
            guard Identifier(identifier).isMail else { throw unsupported }
            return try await guarded(pending, send)
        case .browser(let connection): return try await visit(connection)
        case .enterprise(let domain):
            var pending = Pending(.enterprise)
            pending.detail = domain
            return try await guarded(pending, enterprise)
        case .idToken(let token, let issuer, let nonce):
            let request = try ServiceRequest.idToken(
                token, from: ServiceRequest.issuer(issuer, of: token), nonce: nonce, linkingTo: nil)
            return try await finish(service.session(request), Pending(.idToken))
        case .ticket(let ticket):
            if let link = LinkTicket(ticket: ticket) { return try await stray(link) }
            return try adopt(ticket)
        case .refreshToken(let token): return try await takeOver(token)
        case .anonymous: return try await guarded(Pending(.anonymous), anonymous)
        case .passkey: return try await guarded(Pending(.passkey), passkey)
        case .wallet(let chain):
            var pending = Pending(.wallet)
            pending.detail = chain
            return asked(.wallet(message: chain), pending, lasts: Self.visitLifetime)
        default: throw unsupported
        }
    }

    func answer(_ answer: Answer, to challenge: Challenge) async throws -> Turn {
        let pending = try Pending(challenge.state)
        switch (answer, challenge.ask) {
        case (.declined, _):
            await giveUp(pending)
            throw AuthError(.declined, "The person declined.", provider: provider.name)
        case (.redirected(let address), .visit), (.redirected(let address), .openedLink),
            (.redirected(let address), .code):
            return try await arrived(at: callback(address, pending), pending)
        case (.resend, .code), (.resend, .openedLink):
            return try await resend(pending, challenge)
        case (.code(let code), .code), (.code(let code), .openedLink), (.code(let code), .totp):
            if pending.half != nil { return try await proven(.code(code), pending) }
            return try await typed(code, pending)
        case (.choice(let id), .choose): return try await chosen(id, pending)
        case (.assertion(let assertion), .passkey): return try await signed(assertion, pending)
        case (.assertion(let assertion), .wallet): return try await signedByWallet(assertion, pending)
        case (.password(let password), .password): return try await self.password(pending, password)
        case (.password(let password), .newPassword):
            if pending.half != nil { return try await replaced(password, pending, challenge) }
            return try await signUp(pending, password)
        case (.code(let captcha), .captcha), (.assertion(let captcha), .captcha):
            return try await resume(pending, captcha: captcha)
        default: throw unsupported
        }
    }

    /// Runs `work`, and asks for a captcha if the service wants one.
    func guarded(_ pending: Pending, _ work: (Pending) async throws -> Turn) async throws -> Turn {
        var pending = pending
        pending.captcha = options.captcha
        pending.redirect = redirect
        do {
            return try await work(pending)
        } catch let failure as SupabaseFailure where failure.code == .captchaFailed && pending.captcha == nil {
            return asked(
                .captcha(siteKey: provider.captchaSiteKey), pending, lasts: Self.visitLifetime, because: failure)
        }
    }

    /// Continues with the answer to a captcha. It is good for one request, so a method that needs a
    /// password asks for the password first.
    private func resume(_ pending: Pending, captcha: Secret) async throws -> Turn {
        var pending = pending
        pending.captcha = captcha
        switch pending.method {
        case .password: return asked(.password, pending, lasts: Self.visitLifetime)
        case .signUp: return asked(.newPassword(rules: []), pending, lasts: Self.visitLifetime)
        case .code, .link, .recovery: return try await send(pending)
        case .anonymous: return try await anonymous(pending)
        case .enterprise: return try await enterprise(pending)
        case .passkey: return try await passkey(pending)
        case .wallet: return asked(.wallet(message: pending.detail ?? ""), pending, lasts: Self.visitLifetime)
        case .browser, .idToken: throw unsupported
        }
    }

    /// Asks for something.
    func asked(
        _ ask: Ask, _ pending: Pending, lasts: Duration, id: String? = nil, resendAfter: Duration? = nil,
        because refusal: SupabaseFailure? = nil
    ) -> Turn {
        var challenge = Challenge(
            id: id ?? context.world.randomName(), binding: provider.binding, ask: ask,
            expiresAt: context.serverNow.addingTimeInterval(Double(lasts.components.seconds)),
            resendAfter: resendAfter, state: pending.json)
        challenge.refusal = refusal?.authError(provider.name)
        return .asked(challenge)
    }

    func pkce() throws(AuthError) -> ProofKey {
        guard let pkce = ProofKey(random: context.world.random(32)) else {
            throw AuthError(.configuration(.invalid), "The source of randomness gives too few bytes.")
        }
        return pkce
    }

    var unsupported: AuthError {
        AuthError(
            .configuration(.unsupported), "Supabase cannot be asked or answered that way.", provider: provider.name)
    }
}
