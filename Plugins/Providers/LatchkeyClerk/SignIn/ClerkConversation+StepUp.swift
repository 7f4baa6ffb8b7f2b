import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// Reverification: a signed-in person proves a factor again.
extension ClerkConversation {
    /// The levels that the service knows, as `acr`.
    static let levels: Set<String> = ["first_factor", "second_factor", "multi_factor"]

    func stepUp(_ wanted: StepUp) async throws -> Turn {
        guard let principal = service.context.principal else { throw unsupported("stepping up without a session") }
        // A second factor that the person does not have is not asked for: the service falls back to
        // another by itself.
        let level = wanted.acr.first(where: Self.levels.contains) ?? (wanted.acr.isEmpty ? "first_factor" : nil)
        guard let level else { throw unsupported("this level of proof") }
        var conversation = self
        conversation.pending = ["kind": "verify", "attempt": .string(principal.session.id.value)]
        conversation.pending["back"] = pending["back"]
        let answer = try await service.post(conversation.path, FormParameters(of: ["level": level]))
        return try await conversation.nextOfStepUp(answer)
    }

    func nextOfStepUp(_ verification: JSON) async throws -> Turn {
        switch verification["status"]?.string {
        case "complete": return try await proven()
        case "needs_first_factor":
            var conversation = self
            let hasSecond = verification["supported_second_factors"]?.array?.isEmpty == false
            conversation.pending["second"] = .bool(hasSecond && verification["level"] != "first_factor")
            return try await conversation.choose(
                SessionWire.factors(
                    verification["supported_first_factors"], Factor.first, hasRedirect: pending["back"] != nil),
                level: "first")
        case "needs_second_factor":
            return try await choose(
                SessionWire.factors(verification["supported_second_factors"], Factor.second), level: "second")
        default: throw unsupported("what this proof needs")
        }
    }

    /// Continues after the browser was at the person's own sign-on. No call of the service reads the proof of the visit, so
    /// the session is read: it says how long ago the first factor was proven.
    func returnedToProve(_ back: BrowserReturn) async throws -> Turn {
        let session = try await service.get("/client/sessions/\(FormEncoding.encode(pending["attempt"]?.string ?? ""))")
        let age = session["factor_verification_age"]?.array?.first?.integer ?? -1
        let began = pending["visitedAt"]?.number ?? 0
        let minutes = (service.context.serverNow.timeIntervalSince1970 - began) / 60
        // The age is in whole minutes.
        guard age >= 0, Double(age) <= max(0, minutes) else { throw back.outcome(of: self) }
        guard pending["second"] == true else { return try await proven() }
        var conversation = self
        conversation.pending = pending.with(["redirect": nil, "visitedAt": nil])
        let answer = try await service.post("\(path)", FormParameters(of: ["level": "second_factor"]))
        return try await conversation.nextOfStepUp(answer)
    }

    /// Continues the session, with a token that says what was proven.
    private func proven() async throws -> Turn {
        guard let principal = service.context.principal else { throw unsupported("stepping up without a session") }
        var session = principal.session
        guard let jwt = try await mint(of: session, after: principal.accessToken)["jwt"]?.string, !jwt.isEmpty else {
            throw provider.error(.untrusted(.malformed), "The answer holds no token.")
        }
        session.tokens[.standard] = try provider.accessToken(Secret(jwt), of: session, in: service.context)
        session.authenticatedAt = service.context.serverNow
        var grant = Grant(continuing: principal)
        grant.sessions = grant.sessions.map { $0.id == session.id ? session : $0 }
        grant.refreshToken = service.clientToken ?? grant.refreshToken
        return .signedIn(grant)
    }

    /// Mints a token that the edge has not got yet.
    private func mint(of session: AuthSession, after token: AccessToken?) async throws -> JSON {
        var minting = service
        minting.wording = { $0 }
        let isEdge = try await provider.mintsAtEdge(minting)
        let form = FormParameters(of: [
            "organization_id": session.state["organization"]?.string, "force_origin": isEdge ? "true" : nil,
        ])
        let previous = PreviousToken(session.id, (session.tokens[.standard] ?? token)?.value)
        let path = "/client/sessions/\(FormEncoding.encode(session.id.value))/tokens"
        do { return try await provider.mint(at: path, form, bringing: previous, minting, isEdge) } catch let failure
            as ClerkFailure
        {
            throw failure.error(isSigningIn: true)
        }
    }
}
