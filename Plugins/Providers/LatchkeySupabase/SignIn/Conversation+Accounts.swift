import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyOAuthCore

/// Signing in and signing up with what the person has or types.
extension Conversation {
    func password(_ pending: Pending, _ password: Secret) async throws -> Turn {
        guard let who = pending.who else { throw unsupported }
        let captcha = pending.captcha
        var pending = pending
        pending.captcha = nil
        do {
            return try await finish(service.session(.password(who, password, captcha: captcha)), pending)
        } catch let failure as SupabaseFailure
            where failure.code == .emailNotConfirmed || failure.code == .phoneNotConfirmed
        {
            // A code was sent when the account was made; another is sent only on request. So nothing is said of where.
            pending.method = .signUp
            return asked(
                .code(over: who.isMail ? .mail : .sms, sentTo: nil), pending, lasts: Self.mailLifetime,
                resendAfter: .zero)
        }
    }

    /// Creates an account.
    func signUp(_ pending: Pending, _ password: Secret?) async throws -> Turn {
        guard let who = pending.who else { throw unsupported }
        guard let password else { return try await send(pending) }
        let pkce = who.isMail ? try pkce() : nil
        var pending = pending
        let request = ServiceRequest.signUp(
            who, password, data: pending.data, channel: who.isMail ? nil : pending.channel ?? "sms", pkce: pkce,
            captcha: pending.captcha, redirect: pending.redirect)
        pending.captcha = nil
        pending.verifier = pkce?.verifier
        let response = try await service.send(request)
        let json = try service.read(response) { $0 }
        if json[SessionAnswer.Member.access] != nil {
            return try await finish(service.read(response, SessionAnswer.init), pending)
        }
        guard UserAnswer.id(in: json) != nil else {
            throw AuthError(
                .untrusted(.malformed),
                "The answer to the sign-up holds neither a session nor a user: $.id is missing.",
                provider: provider.name)
        }
        // The service hides that the account exists. It sent no mail either, so waiting for one would be in vain.
        guard !UserAnswer.isMadeUp(json) else {
            let code = SupabaseErrorCode.userAlreadyExists
            throw AuthError(
                .refused(.other), "There is an account with this address already.", provider: provider.name,
                serviceCode: code.rawValue)
        }
        return sent(pending, resendAfter: Self.resendGap)
    }

    func anonymous(_ pending: Pending) async throws -> Turn {
        let request = ServiceRequest.signUp(
            nil, nil, data: [:], channel: nil, pkce: nil, captcha: pending.captcha, redirect: nil)
        return try await finish(service.session(request), Pending(.anonymous))
    }

    /// Asks a passkey for a signature.
    func passkey(_ pending: Pending) async throws -> Turn {
        var pending = pending
        let request = ServiceRequest.passkeyOptions(captcha: pending.captcha)
        pending.captcha = nil
        let response = try await service.send(request)
        let offer = try service.read(response, PasskeyOffer.init)
        pending.challengeID = offer.id
        return asked(.passkey(request: offer.options), pending, lasts: offer.lasts(response, context))
    }

    /// Takes the signature of a passkey: as the first proof, or as a further factor.
    func signed(_ assertion: Secret, _ pending: Pending) async throws -> Turn {
        guard let credential = try? JSON.parse(assertion.reveal()), credential.object != nil else {
            throw AuthError(
                .refused(.wrongInput), "The passkey's answer is no JSON object.", provider: provider.name)
        }
        if pending.half != nil { return try await proven(.passkey(credential), pending) }
        let request = ServiceRequest.passkey(pending.challengeID ?? "", credential)
        return try await finish(service.session(request), Pending(.passkey))
    }

    /// Takes a wallet's message and signature from the app, as a JSON object of both.
    func signedByWallet(_ assertion: Secret, _ pending: Pending) async throws -> Turn {
        var pending = pending
        let captcha = pending.captcha ?? options.captcha
        pending.captcha = nil
        let request = ServiceRequest.wallet(chain: pending.detail ?? "", proof: assertion, captcha: captcha)
        guard let request else {
            throw AuthError(
                .refused(.wrongInput), "The wallet's answer is no JSON object with message and signature.",
                provider: provider.name)
        }
        do {
            return try await finish(service.session(request), pending)
        } catch let failure as SupabaseFailure where failure.code == .captchaFailed && captcha == nil {
            return asked(.captcha(siteKey: provider.captchaSiteKey), pending, lasts: Self.visitLifetime)
        }
    }

    /// Adds a way to sign in to an account. The answer is a new session of the same person.
    func link(_ method: SignInMethod) async throws -> Turn {
        guard let principal = context.principal, let token = principal.accessToken?.value else { throw unsupported }
        var pending = Pending(.idToken)
        pending.subject = principal.session.account.value
        switch method {
        case .idToken(let idToken, let issuer, let nonce):
            let request = try ServiceRequest.idToken(
                idToken, from: ServiceRequest.issuer(issuer, of: idToken), nonce: nonce, linkingTo: token)
            return try await finish(service.session(request), pending)
        case .browser(let connection):
            pending.method = .browser
            return try await linkingVisit(connection, pending, token)
        default: throw unsupported
        }
    }
}
