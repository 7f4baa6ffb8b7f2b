import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// Visits in a browser. The service does not keep a `state` of ours: the proof key binds the answer.
extension Conversation {
    /// Starts a visit to an identity provider.
    func visit(_ connection: String?) async throws -> Turn {
        let (connection, redirect) = (try named(connection), try returning())
        try await checkOffered(connection)
        var pending = Pending(.browser)
        let pkce = try pkce()
        pending.verifier = pkce.verifier
        pending.redirect = redirect
        let url = provider.address(of: "/authorize", ServiceRequest.visit(connection, redirect, pkce, options))
        return asked(.visit(url: url, redirect: redirect), pending, lasts: Self.visitLifetime)
    }

    /// Asks the project whether it has the identity provider switched on: otherwise the browser would show an error as JSON,
    /// and never come back. What cannot be read says nothing, and the visit goes on.
    private func checkOffered(_ connection: String) async throws {
        guard provider.asksBeforeVisits else { return }
        let settings: JSON
        do {
            settings = try await service.json(ServiceRequest("GET", "/settings"))
        } catch let failure as SupabaseFailure where failure.answer.keyIsRefused {
            throw failure
        } catch {
            if error is CancellationError || Task.isCancelled { throw error }
            return
        }
        let external = settings["external"]?.object ?? [:]
        guard external[connection]?.bool == false else { return }
        let others = external.filter { $0.value.bool == true && UserAnswer.isPlain($0.key) }.keys
        let ways = Set(others).subtracting(["email", "phone", "anonymous_users"]).sorted().joined(separator: ", ")
        throw AuthError(
            .configuration(.unsupported),
            "The project has not switched on \(connection); it offers \(ways.isEmpty ? "no identity provider" : ways).",
            provider: provider.name, serviceCode: SupabaseErrorCode.providerDisabled.rawValue)
    }

    /// Starts a visit to link an identity to an account.
    func linkingVisit(_ connection: String?, _ pending: Pending, _ token: Secret) async throws -> Turn {
        let (connection, redirect) = (try named(connection), try returning())
        var pending = pending
        let pkce = try pkce()
        pending.verifier = pkce.verifier
        pending.redirect = redirect
        let query = ServiceRequest.visit(connection, redirect, pkce, options)
        return try await visiting(service.send(.linkingVisit(query, bearer: token)), redirect, pending)
    }

    /// Starts a visit to an organization's identity provider.
    func enterprise(_ pending: Pending) async throws -> Turn {
        let redirect = try pending.redirect ?? returning()
        let pkce = try pkce()
        var pending = pending
        let captcha = pending.captcha
        pending.captcha = nil
        pending.verifier = pkce.verifier
        pending.redirect = redirect
        let request = ServiceRequest.sso(
            domain: pending.detail ?? "", pkce: pkce, captcha: captcha, redirect: redirect)
        return try await visiting(service.send(request), redirect, pending)
    }

    /// Asks for a visit to the address that the service's answer names.
    func visiting(_ response: TransportResponse, _ redirect: String, _ pending: Pending) throws -> Turn {
        let url = try service.read(response) { json throws(JSONError) in
            let field = JSONField(json)["url"]
            guard let address = WebAddress(try field.string()), address.isSecure else {
                throw JSONError(.wrongType, at: field.path)
            }
            return try field.string()
        }
        return asked(.visit(url: url, redirect: redirect), pending, lasts: Self.visitLifetime)
    }

    private func named(_ connection: String?) throws(AuthError) -> String {
        guard let connection, !connection.isEmpty else {
            throw AuthError(
                .configuration(.invalid), "A visit needs the name of an identity provider, such as github.",
                provider: provider.name)
        }
        return connection
    }

    private func returning() throws(AuthError) -> String {
        guard let redirect else {
            throw AuthError(
                .configuration(.invalid), "Nobody receives the redirect: neither a presenter nor the configuration.",
                provider: provider.name)
        }
        return redirect
    }
}
