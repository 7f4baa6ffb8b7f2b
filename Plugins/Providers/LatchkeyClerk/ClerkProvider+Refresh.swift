import FoundationEssentials
public import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyOAuthCore
import LatchkeyPluginKit

extension ClerkProvider {
    /// Mints a session token.
    ///
    /// If the service refuses, the client is fetched before the refusal is believed: the session is
    /// over only if the client no longer has it.
    ///
    /// A token of a session with tasks left is not handed out: a backend takes its person for signed out.
    ///
    /// - Throws: ``/Latchkey/Refusal``, definite if the client has no such session;
    ///   ``/Latchkey/NotSent``; ``/Latchkey/TransportError``; ``/Latchkey/AuthError``.
    public func refresh(
        _ credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> CredentialChange {
        if let missing = CryptoLibrary.missing { throw NotSent(AuthError(missing, provider: name)) }
        guard let session = credential.session(want.session), let token = credential.refreshToken, !token.isEmpty else {
            throw NotSent(error(.signInRequired(.expired), "The session has no client token."))
        }
        let isPlain = want.audience == .standard || want.audience.clerkOrganization != nil
        guard isPlain || want.audience.clerkTemplate != nil else {
            throw NotSent(error(.configuration(.unsupported), "Tokens are for an organization, or by a template."))
        }
        var service = ClerkService(self, context, token: token, of: credential)
        service.wording = { $0 }
        try service.checkToken()
        do {
            var isEdge = false
            if isPlain { isEdge = try await mintsAtEdge(service) }
            let last = want.newerThan ?? session.tokens[want.audience] ?? session.tokens[.standard]
            var minted = try await mint(session, want.audience, last, service, isEdge)
            if isEdge, let old = want.newerThan, minted.value == old.value || TokenAge(minted) < TokenAge(old) {
                // The edge returned the token that it had.
                minted = try await mint(session, want.audience, last, service, isEdge, fromOrigin: true)
            }
            guard !Self.isPending(minted) else {
                throw NotSent(
                    error(
                        .signInRequired(.factorRequired), "The instance wants something more before the session counts."
                    ))
            }
            return CredentialChange(
                refreshToken: service.newToken,
                minted: [session.id: [want.audience: minted]])
        } catch let failure as ClerkFailure {
            let error = await judgement(on: failure, of: session, want.audience, service)
            if (error as? Refusal)?.kind != .definite { service.carry() }
            throw error
        } catch {
            service.carry()
            throw error
        }
    }

    private func mint(
        _ session: AuthSession, _ audience: Audience, _ last: AccessToken?, _ service: ClerkService, _ isEdge: Bool,
        fromOrigin: Bool = false
    ) async throws -> AccessToken {
        let path = "/client/sessions/\(FormEncoding.encode(session.id.value))/tokens"
        let answer: JSON
        if let template = audience.clerkTemplate {
            answer = try await service.post("\(path)/\(FormEncoding.encode(template))")
        } else {
            let form = FormParameters(of: [
                "organization_id": audience.clerkOrganization, "force_origin": fromOrigin ? "true" : nil,
            ])
            let previous = PreviousToken(session.id, last?.value)
            answer = try await mint(at: path, form, bringing: previous, service, isEdge)
        }
        guard let jwt = answer["jwt"]?.string, !jwt.isEmpty else {
            throw error(.untrusted(.malformed), "The answer holds no token.")
        }
        return try accessToken(Secret(jwt), of: session, in: service.context)
    }

    /// Whether a token says that its session does not count yet.
    static func isPending(_ token: AccessToken) -> Bool {
        (try? TokenClaims(of: token.value))?["sts"]?.string == "pending"
    }

    /// Reads a token that came from the service itself, over TLS. Its person, and its session if it
    /// names one, must match.
    ///
    /// - Parameter seen: The time by the service's clock, for a token that may be older than the answer that brought it.
    func accessToken(
        _ jwt: Secret, of session: AuthSession, in context: ProviderContext, seen: Date? = nil
    ) throws -> AccessToken {
        let claims = try TokenClaims(of: jwt, provider: name)
        guard AccountID(subject: claims.subject, of: rules.binding) == session.account else {
            throw error(.untrusted(.subject), "The token is another person's.")
        }
        guard claims["sid"]?.string.map({ $0 == session.id.value }) ?? true else {
            throw error(.untrusted(.claims), "The token is another session's.")
        }
        return AccessToken(jwt, lifetime: claims.lifetime(in: context, seen: seen))
    }

    /// Returns what a refused mint means.
    private func judgement(
        on failure: ClerkFailure, of session: AuthSession, _ audience: Audience, _ service: ClerkService
    ) async -> any Error {
        let refusal = failure.error(isSigningIn: false)
        func own(_ refused: Refusal) -> Refusal {
            var refused = refused
            refused.serviceText = failure.text
            return refused
        }
        switch refusal.code {
        case .rateLimited, .configuration: return NotSent(refusal)
        case .signInRequired(.banned):
            return own(
                Refusal(
                    .definite, code: failure.code ?? "", requestID: refusal.requestID, reason: .banned,
                    issuedNothing: true))
        case .serviceTrouble where failure.code != Self.missingToken: return refusal
        default: break
        }
        let code = failure.code ?? "HTTP \(failure.status)"
        // An instance that wants the previous token also wants it for a session that is over, which has none.
        let lacksToken = failure.code == Self.missingToken
        let unexplained: any Error =
            lacksToken
            ? refusal
            : own(Refusal(.unexplained, code: code, requestID: refusal.requestID, issuedNothing: true))
        // A refusal of the organization or the template says nothing about the session.
        let isAboutAudience = audience != .standard && (400..<500).contains(failure.status) && failure.status != 401
        guard [401, 404].contains(failure.status) || isAboutAudience || lacksToken, failure.isPublished else {
            return unexplained
        }
        // The service answers a token that has been replaced with a client without sessions, and so
        // it does for a token that is over. The engine can tell which it is: it checks whether the
        // store still has the token that was sent.
        do {
            // This uses a service of its own: its answer's token is worth something only if the session is in it.
            var confirming = ClerkService(self, service.context, token: service.clientToken)
            confirming.wording = { $0 }
            let client = try await confirming.get("/client")
            let isThere = (client["sessions"]?.array ?? []).contains { found in
                found["id"]?.string == session.id.value
                    && ["active", "pending"].contains(found["status"]?.string ?? "active")
            }
            if isThere, isAboutAudience {
                var error = error(.refused(.denied), "The service gives no token for this organization or template.")
                (error.serviceCode, error.requestID) = (failure.code, refusal.requestID)
                return NotSent(error)
            }
            guard !isThere, client == .null || client["object"]?.string == "client" else { return unexplained }
        } catch let again as ClerkFailure {
            guard case .signInRequired = again.error(isSigningIn: false).code, again.isPublished else {
                return unexplained
            }
        } catch {
            return unexplained
        }
        return own(Refusal(.definite, code: code, requestID: refusal.requestID, issuedNothing: true))
    }
}
