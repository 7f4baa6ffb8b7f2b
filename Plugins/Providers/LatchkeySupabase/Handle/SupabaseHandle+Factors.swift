public import Latchkey
import LatchkeyJSON

/// A factor that is asked for.
public struct SupabaseFactorChallenge: Sendable, Identifiable {
    /// The service's number of it.
    public var id: String
    /// Which factor.
    public var factorID: String
}

extension SupabaseHandle {
    /// The person's factors, asked for anew.
    public func factors() async throws(AuthError) -> [SupabaseFactor] { try await user().factors }

    /// Begins an authenticator app as a factor. ``SupabaseEnrolment/uri`` is what its QR code shows.
    ///
    /// - Parameters:
    ///   - name: What the person calls it; no two factors have the same.
    ///   - issuer: What the app shows; `nil`: the project's site.
    public func enrollTOTP(name: String? = nil, issuer: String? = nil) async throws(AuthError) -> SupabaseEnrolment {
        try await enroll(.totp, name: name, issuer: issuer, phone: nil)
    }

    /// Begins a telephone as a factor.
    public func enrollPhone(_ phone: String, name: String? = nil) async throws(AuthError) -> SupabaseEnrolment {
        try await enroll(.phone, name: name, issuer: nil, phone: phone)
    }

    private func enroll(
        _ kind: ServiceRequest.FactorKind, name: String?, issuer: String?, phone: String?
    ) async throws(AuthError) -> SupabaseEnrolment {
        try await run { held in
            let request = ServiceRequest.enroll(kind, name: name, issuer: issuer, phone: phone, bearer: held.token)
            return (CredentialChange(), try held.service.read(await held.service.send(request), SupabaseEnrolment.init))
        }
    }

    /// Has the service ask for a factor; a telephone gets a message.
    public func challenge(_ factorID: String) async throws(AuthError) -> SupabaseFactorChallenge {
        let path = try path("/factors", factorID, "/challenge")
        return try await run { held in (CredentialChange(), try await held.challenge(path, factorID)) }
    }

    /// Proves a factor: a new one counts from now on, and the session is raised. It gets a new refresh token, and the
    /// old one would end it: nothing else is sent until the answer is stored.
    public func verify(_ challenge: SupabaseFactorChallenge, code: Secret) async throws(AuthError) {
        try await verify(challenge.factorID, code, challenge)
    }

    /// Proves an authenticator app: challenge and answer in one.
    public func verify(factor factorID: String, code: Secret) async throws(AuthError) {
        try await verify(factorID, code, nil)
    }

    private func verify(
        _ factorID: String, _ code: Secret, _ challenge: SupabaseFactorChallenge?
    ) async throws(AuthError) {
        let challenging = try path("/factors", factorID, "/challenge")
        try await run(.killsFamily) { held in
            let challengeID: String
            if let challenge {
                challengeID = challenge.id
            } else {
                challengeID = try await held.challengeBeforehand(challenging, factorID).id
            }
            let request = ServiceRequest.prove(factorID, challengeID, .code(code), bearer: held.token)
            return (try held.change(await held.service.session(request)), ())
        }
    }

    /// Removes a factor. A verified one wants a raised session, which then is raised no more: it is refreshed at once.
    public func unenroll(_ factorID: String) async throws(AuthError) {
        let path = try path("/factors", factorID)
        try await run { held in
            _ = try await held.service.send(ServiceRequest("DELETE", path, bearer: held.token))
            return (CredentialChange(), ())
        }
        try await client.refresh(of: account)
    }
}

extension SupabaseHandle.Held {
    fileprivate func challenge(_ path: String, _ factorID: String) async throws -> SupabaseFactorChallenge {
        let request = ServiceRequest("POST", path, bearer: token)
        let offer = try service.read(await service.send(request), FactorOffer.init)
        return SupabaseFactorChallenge(id: offer.id, factorID: factorID)
    }

    /// The same, before the request that matters: whatever fails here left the session as it was.
    fileprivate func challengeBeforehand(_ path: String, _ factorID: String) async throws -> SupabaseFactorChallenge {
        do {
            return try await challenge(path, factorID)
        } catch let error as AuthError {
            throw NotSent(error)
        } catch let error as TransportError {
            throw TransportError(error.code, wasSent: false)
        } catch let failure as SupabaseFailure where failure.code == nil || failure.answer.status >= 500 {
            throw NotSent(failure.authError(provider.name))
        }
    }
}
