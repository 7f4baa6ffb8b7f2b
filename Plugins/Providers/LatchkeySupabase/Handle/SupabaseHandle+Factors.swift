public import Latchkey
import LatchkeyJSON

/// A challenge that asks the person for a factor.
public struct SupabaseFactorChallenge: Sendable, Identifiable {
    /// The challenge's id at the service.
    public var id: String
    /// The id of the factor that is asked for.
    public var factorID: String
}

extension SupabaseHandle {
    /// Fetches the person's factors.
    public func factors() async throws(AuthError) -> [SupabaseFactor] { try await user().factors }

    /// Starts adding an authenticator app as a factor. Show ``SupabaseEnrolment/uri`` as a QR code.
    ///
    /// - Parameters:
    ///   - name: The person's name for the factor. No two factors may have the same.
    ///   - issuer: The name that the authenticator app shows; `nil` for the project's site.
    public func enrollTOTP(name: String? = nil, issuer: String? = nil) async throws(AuthError) -> SupabaseEnrolment {
        try await enroll(.totp, name: name, issuer: issuer, phone: nil)
    }

    /// Starts adding a telephone as a factor.
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

    /// Starts a challenge for a factor. A telephone gets a text message.
    public func challenge(_ factorID: String) async throws(AuthError) -> SupabaseFactorChallenge {
        let path = try path("/factors", factorID, "/challenge")
        return try await run { held in (CredentialChange(), try await held.challenge(path, factorID)) }
    }

    /// Proves a factor. A new factor counts from now on, and the session rises to the higher assurance level.
    ///
    /// The session gets a new refresh token, and using the old one would end the session, so no
    /// other request is sent until the answer is stored. The service forgives the old one for
    /// ``SupabaseProvider/reuseInterval`` after a refresh: a session whose last refresh is longer ago than a quarter of it is
    /// refreshed first, and again while the answer is waited for, at most a minute. A new token says whether the factor
    /// was proven, though the answer is lost.
    public func verify(_ challenge: SupabaseFactorChallenge, code: Secret) async throws(AuthError) {
        try await verify(challenge.factorID, code, challenge)
    }

    /// Proves an authenticator app: starts the challenge and answers it in one call.
    public func verify(factor factorID: String, code: Secret) async throws(AuthError) {
        try await verify(factorID, code, nil)
    }

    private func verify(
        _ factorID: String, _ code: Secret, _ challenge: SupabaseFactorChallenge?
    ) async throws(AuthError) {
        let challenging = try path("/factors", factorID, "/challenge")
        try await recovering { () throws(AuthError) in
            try await prove(factorID, code, challenge, challenging)
        }
    }

    private func prove(
        _ factorID: String, _ code: Secret, _ challenge: SupabaseFactorChallenge?, _ challenging: String
    ) async throws(AuthError) {
        try await run(.killsFamily, shown: Self.provesMore) { held in
            let challengeID: String
            if let challenge {
                challengeID = challenge.id
            } else {
                challengeID = try await held.challengeBeforehand(challenging, factorID).id
            }
            let request = ServiceRequest.prove(factorID, challengeID, .code(code), bearer: held.token)
            return (try held.change(await held.service.session(request, isRotation: true)), ())
        }
    }

    /// Removes a factor. Removing a verified one needs a session at the higher assurance level,
    /// which the session then loses: it is refreshed at once.
    public func unenroll(_ factorID: String) async throws(AuthError) {
        let path = try path("/factors", factorID)
        let person = try await run { held in
            try await held.service.acknowledged(ServiceRequest("DELETE", path, bearer: held.token))
            return (CredentialChange(), held.session.account)
        }
        try await client.refresh(of: person)
    }
}

extension SupabaseHandle.Held {
    fileprivate func challenge(_ path: String, _ factorID: String) async throws -> SupabaseFactorChallenge {
        let request = ServiceRequest("POST", path, bearer: token)
        let offer = try service.read(await service.send(request), FactorOffer.init)
        return SupabaseFactorChallenge(id: offer.id, factorID: factorID)
    }

    /// Starts the challenge before the request that matters: an error here leaves the session as it was.
    fileprivate func challengeBeforehand(_ path: String, _ factorID: String) async throws -> SupabaseFactorChallenge {
        do {
            return try await challenge(path, factorID)
        } catch let error as AuthError {
            throw NotSent(error)
        } catch var error as TransportError {
            error.wasSent = false
            throw error
        } catch let failure as SupabaseFailure where failure.code == nil || failure.answer.status >= 500 {
            throw NotSent(failure.authError(provider.name))
        }
    }
}
