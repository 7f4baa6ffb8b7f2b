import Latchkey
import LatchkeyJSON

/// The end of signing in: a further factor, a new password, the grant.
extension Conversation {
    /// Continues after the service has signed the person in: asks for what is still needed, or ends with the grant.
    func finish(_ answer: SessionAnswer, _ pending: Pending) async throws -> Turn {
        guard pending.subject.map({ $0 == AccountID(subject: answer.subject, of: provider.binding).value }) ?? true
        else {
            throw await service.dropped(answer.access, answer.refresh, "Another person signed in than was asked for")
        }
        var pending = pending
        pending.isRecovery = pending.isRecovery || answer.claims.isRecovery
        let factors = offered(UserAnswer.verifiedFactors(in: answer.user))
        if provider.asksForFactors, answer.claims.assurance == AccessClaims.single, !factors.isEmpty {
            pending.half = answer.json
            return try await orGiveUp(pending) { try await asking(factors, pending) }
        }
        guard pending.isRecovery else { return grant(answer) }
        pending.half = answer.json
        return asked(.newPassword(rules: []), pending, lasts: min(answer.lasts, Self.mailLifetime))
    }

    func grant(_ answer: SessionAnswer) -> Turn {
        .signedIn(Grant(refreshToken: answer.refresh, provider.session(answer, in: context)))
    }

    /// Returns the factors that can be asked for here.
    private func offered(_ factors: [SupabaseFactor]) -> [SupabaseFactor] {
        factors.filter { factor in
            switch factor.type {
            case SupabaseFactor.totp, SupabaseFactor.phone: true
            case SupabaseFactor.passkey: provider.relyingParty != nil
            default: false
            }
        }
    }

    private func asking(_ factors: [SupabaseFactor], _ pending: Pending) async throws -> Turn {
        guard factors.count == 1, let only = factors.first else {
            let options = factors.map { Ask.Option(id: $0.id, label: $0.label) }
            return asked(.choose(options), pending, lasts: Self.visitLifetime)
        }
        return try await challenged(only, pending)
    }

    /// Continues with the factor that the person chose.
    func chosen(_ id: String, _ pending: Pending) async throws -> Turn {
        let half = try session(pending)
        guard let factor = offered(UserAnswer.verifiedFactors(in: half.user)).first(where: { $0.id == id }) else {
            throw AuthError(.refused(.wrongInput), "There is no such choice.", provider: provider.name)
        }
        return try await challenged(factor, pending)
    }

    /// Starts a new challenge for the same factor.
    func challenged(_ pending: Pending) async throws -> Turn { try await chosen(pending.factorID ?? "", pending) }

    private func challenged(_ factor: SupabaseFactor, _ pending: Pending) async throws -> Turn {
        let half = try session(pending)
        let response = try await service.send(
            .challenge(factor, provider.relyingParty, bearer: half.access))
        let offer = try service.read(response, FactorOffer.init)
        var pending = pending
        pending.factorID = factor.id
        pending.challengeID = offer.id
        let ask: Ask
        switch factor.type {
        case SupabaseFactor.totp: ask = .totp
        case SupabaseFactor.phone: ask = .code(over: .sms, sentTo: factor.phone)
        default:
            guard let options = offer.options else {
                throw AuthError(
                    .untrusted(.malformed), "The service's challenge has no options for the passkey.",
                    provider: provider.name)
            }
            ask = .passkey(request: options)
        }
        return asked(
            ask, pending, lasts: offer.lasts(response, context),
            resendAfter: factor.type == SupabaseFactor.phone ? Self.resendGap : nil)
    }

    /// Takes the proof of a factor. The answer is the same session at the higher assurance level,
    /// with a new refresh token.
    func proven(_ proof: ServiceRequest.Proof, _ pending: Pending) async throws -> Turn {
        let half = try session(pending)
        guard let factor = pending.factorID, UserAnswer.isPlain(factor) else { throw unsupported }
        let request = ServiceRequest.prove(factor, pending.challengeID ?? "", proof, bearer: half.access)
        var answer: SessionAnswer
        do {
            answer = try await service.session(request)
        } catch let failure as SupabaseFailure where failure.code.map(Self.wantsNewChallenge.contains) == true {
            guard case .asked(var challenge) = try await challenged(pending) else { throw failure }
            challenge.refusal = failure.authError(provider.name)
            return .asked(challenge)
        }
        answer.providerTokens.merge(half.providerTokens) { new, _ in new }
        var pending = pending
        pending.half = nil
        return try await finish(answer, pending)
    }

    private static let wantsNewChallenge: Set<SupabaseErrorCode> = [
        .mfaChallengeExpired, .mfaFactorNotFound, .mfaIPAddressMismatch,
    ]

    /// Takes the new password of a person who had lost the old one.
    func replaced(_ password: Secret, _ pending: Pending, _ challenge: Challenge) async throws -> Turn {
        var half = try session(pending)
        do {
            if let response = try await replacing(password, half) {
                half.user = try service.read(response) { $0 }
                half.see(response, context)
            }
        } catch let failure as SupabaseFailure
            where failure.code == .weakPassword && !failure.answer.weaknesses.isEmpty
        {
            return asked(
                .newPassword(rules: failure.answer.weaknesses), pending, lasts: Self.mailLifetime, id: challenge.id,
                because: failure)
        }
        return grant(half)
    }

    /// Sends the new password, and once more if the answer was lost: then "the same password" means that the first
    /// request has arrived.
    ///
    /// - Returns: `nil` if the password is set, but no answer describes the person.
    private func replacing(_ password: Secret, _ half: SessionAnswer) async throws -> TransportResponse? {
        let request = ServiceRequest.newPassword(password, bearer: half.access)
        do {
            return try await service.send(request)
        } catch  where Self.mayHaveActed(error) {
            do { return try await service.send(request) } catch let failure as SupabaseFailure
                where failure.code == .samePassword
            {
                return nil
            }
        }
    }

    private static func mayHaveActed(_ error: any Error) -> Bool {
        switch error {
        case let error as TransportError: error.wasSent
        case let failure as SupabaseFailure: failure.code == nil && failure.answer.status >= 500
        default: false
        }
    }

    /// Logs the half-way session out at the service, if the service can be reached.
    func giveUp(_ pending: Pending) async {
        guard pending.half != nil, let half = try? session(pending) else { return }
        _ = try? await provider.logOut(.thisSession, half.access, service)
    }

    private func orGiveUp(_ pending: Pending, _ work: () async throws -> Turn) async throws -> Turn {
        do {
            return try await work()
        } catch {
            await giveUp(pending)
            throw error
        }
    }

    private func session(_ pending: Pending) throws(AuthError) -> SessionAnswer {
        do throws(JSONError) {
            return try SessionAnswer(pending.half ?? .null)
        } catch {
            throw AuthError(.store(.damaged), "The stored sign-in holds no session.", provider: provider.name)
        }
    }
}
