import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// Codes and links that the service sends, and where they lead.
extension Conversation {
    /// Sends a code or link, and asks for it.
    func send(_ pending: Pending) async throws -> Turn {
        sent(try await dispatched(pending), resendAfter: Self.resendGap)
    }

    /// Sends the code or link again. It needs a new proof key: without one, the service would fall
    /// back to links that carry tokens.
    func resend(_ pending: Pending, _ challenge: Challenge) async throws -> Turn {
        do {
            guard pending.half == nil else { return try await challenged(pending) }
            return sent(try await dispatched(pending), id: challenge.id, resendAfter: Self.resendGap)
        } catch let failure as SupabaseFailure where failure.authError(provider.name).code == .rateLimited {
            // The code or link that was sent before stays good.
            let gap = failure.retryAfter ?? Self.resendGap
            return asked(
                challenge.ask, pending, lasts: Self.mailLifetime, id: challenge.id, resendAfter: gap, because: failure)
        }
    }

    private func dispatched(_ pending: Pending) async throws -> Pending {
        guard let who = pending.who else { throw unsupported }
        let pkce = who.isMail ? try pkce() : nil
        var pending = pending
        let captcha = pending.captcha
        let redirect = who.isMail ? pending.redirect : nil
        pending.captcha = nil
        pending.verifier = pkce?.verifier
        let channel = who.isMail ? nil : pending.channel ?? "sms"
        switch pending.method {
        case .signUp:
            let type = who.isMail ? "signup" : "sms"
            try await service.acknowledged(.resend(type, who, pkce: pkce, captcha: captcha, redirect: redirect))
        case .recovery where who.isMail:
            try await service.acknowledged(.recover(who, pkce: pkce, captcha: captcha, redirect: redirect))
        default:
            do {
                try await service.acknowledged(
                    .otp(
                        who, createsUser: pending.makesAccount, data: pending.data, channel: channel, pkce: pkce,
                        captcha: captcha,
                        redirect: redirect))
            } catch let failure as SupabaseFailure
                where failure.code == .otpDisabled && pending.makesAccount == false && !provider.tellsUnknownPeople
            {
                // The code is asked for in any case, and whatever is typed is wrong.
            }
        }
        return pending
    }

    /// Asks for what was sent. The mail has both a code and a link, so either may be answered.
    func sent(_ pending: Pending, id: String? = nil, resendAfter: Duration) -> Turn {
        let over =
            pending.channel.flatMap(DeliveryChannel.init(rawValue:)) ?? (pending.who?.isMail == false ? .sms : .mail)
        let ask: Ask =
            pending.method == .link
            ? .openedLink(sentTo: pending.identifier) : .code(over: over, sentTo: pending.identifier)
        return asked(ask, pending, lasts: Self.mailLifetime, id: id, resendAfter: resendAfter)
    }

    /// Takes a code that the person typed.
    func typed(_ code: Secret, _ pending: Pending) async throws -> Turn {
        guard let who = pending.who else { throw unsupported }
        let trimmed = Secret(code.reveal().filter { $0 > 0x20 })
        return try await finish(service.session(.verify(pending.codeType, who, code: trimmed)), pending)
    }

    /// Reads the address at which the browser arrived, or that a mail's link led to.
    ///
    /// - Throws: ``/Latchkey/StillOpen``. The service does not keep a `state` of ours, so a refused
    ///   address may be forged. It ends nothing: the person's own redirect may still come.
    func callback(_ address: Secret, _ pending: Pending) throws -> Callback {
        do throws(AuthError) {
            return try checked(address, pending)
        } catch {
            throw StillOpen(error)
        }
    }

    private func checked(_ address: Secret, _ pending: Pending) throws(AuthError) -> Callback {
        let isVisit = pending.who == nil
        if isVisit, let redirect = pending.redirect, !Self.isSamePlace(address, redirect) {
            throw AuthError(
                .untrusted(.redirect), "The redirect came to another address than the one asked for.",
                provider: provider.name)
        }
        let callback = try Callback(address, provider: provider.name)
        switch callback {
        case .failed(let error): throw error
        case .session where isVisit:
            throw AuthError(
                .untrusted(.malformed), "The redirect carries tokens, where a code was asked for.",
                provider: provider.name)
        default: return callback
        }
    }

    /// Continues with what the address says.
    func arrived(at callback: Callback, _ pending: Pending) async throws -> Turn {
        switch callback {
        case .failed(let error): throw error
        case .halfConfirmed:
            throw StillOpen(
                AuthError(
                    .refused(.factorRequired), "One of two addresses is confirmed; the other one got a link too.",
                    provider: provider.name))
        case .code(let code):
            guard let verifier = pending.verifier else { throw provider.linkOfAnotherDevice }
            return try await finish(exchanged(code, verifier, pending), pending)
        case .session(let members, let type): return try await implicit(members, type, pending)
        }
    }

    private func exchanged(_ code: Secret, _ verifier: Secret, _ pending: Pending) async throws -> SessionAnswer {
        do {
            return try await service.session(.exchange(code: code, verifier: verifier), isRedeeming: true)
        } catch let failure as SupabaseFailure
            where failure.code == .flowStateExpired && pending.method == .signUp
        {
            throw AuthError(
                .refused(.expired), "The address is confirmed, but the link came too late to sign in: sign in now.",
                provider: provider.name, serviceCode: failure.code?.rawValue)
        } catch let failure as SupabaseFailure {
            let error = failure.authError(provider.name)
            // The code belongs to another request or is made up: the service knows no request for it.
            guard case .refused = error.code else { throw failure }
            throw StillOpen(error)
        }
    }

    /// Takes a link that carries its session, such as one that an administrator or an older request
    /// made. Nothing binds it to this sign-in, so its session must be for the address that was asked for.
    private func implicit(_ members: [String: JSON], _ type: String?, _ pending: Pending) async throws -> Turn {
        let link = LinkSession(members: members, service: service)
        let (user, response) = try await link.person()
        guard let mail = UserAnswer.mail(in: user), let asked = pending.identifier, UserAnswer.isSame(mail, asked)
        else {
            throw await link.dropped("The link is another person's than the one that was asked for")
        }
        var pending = pending
        pending.isRecovery = pending.isRecovery || type == Callback.Mail.recovery
        return try await finish(link.answer(user, response), pending)
    }

    /// Takes a link that carries a session and that no sign-in waits for: an invitation, if the app
    /// expects one. Any other session is ended.
    func stray(_ ticket: LinkTicket) async throws -> Turn {
        guard case .session(let members, let type) = try Callback(ticket.address, provider: provider.name) else {
            throw unsupported
        }
        let link = LinkSession(members: members, service: service)
        guard ticket.takesInvite, type == Callback.Mail.invite else {
            throw await link.dropped("The link carries a session that nobody here has asked for")
        }
        let (user, response) = try await link.person()
        guard UserAnswer.isInvited(user) else {
            throw await link.dropped("The link says that it is an invitation, and its person was not invited")
        }
        var pending = Pending(.link)
        pending.identifier = UserAnswer.mail(in: user)
        return try await finish(link.answer(user, response), pending)
    }

    /// Whether `address` is the redirect address, apart from query and fragment.
    static func isSamePlace(_ address: Secret, _ redirect: String) -> Bool {
        guard let came = WebAddress.redirect(address.revealText()), let asked = WebAddress.redirect(redirect) else {
            return false
        }
        func path(_ address: WebAddress) -> String {
            address.path.isEmpty && address.scheme.hasPrefix("http") ? "/" : address.path
        }
        return came.scheme == asked.scheme && came.host == asked.host && came.port == asked.port
            && path(came).utf8.elementsEqual(path(asked).utf8)
    }
}

extension SupabaseProvider {
    /// The error for a link that was asked for on another device.
    var linkOfAnotherDevice: AuthError {
        AuthError(
            .refused(.other),
            "The link was asked for on another device, which alone can complete it; the mail's code works here too.",
            provider: name, serviceCode: SupabaseErrorCode.linkOfAnotherDevice.rawValue)
    }
}
