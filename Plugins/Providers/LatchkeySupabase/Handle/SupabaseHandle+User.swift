public import Latchkey
public import LatchkeyJSON

/// What shall change about a person. What is `nil` stays.
public struct SupabaseUserUpdate: Sendable {
    /// Another mail address; it counts once it is confirmed.
    public var email: String?
    /// Another telephone number; it counts once it is confirmed.
    public var phone: String?
    /// Another password; it ends the person's other sessions.
    public var password: Secret?
    /// The present password, where the project wants it.
    public var currentPassword: Secret?
    /// What ``SupabaseHandle/reauthenticate()`` had sent, where the project wants it.
    public var nonce: Secret?
    /// What the app keeps: merged key by key at the top level; null removes a key.
    public var metadata: [String: JSON] = [:]

    /// An update of nothing.
    public init() {}
}

extension SupabaseHandle {
    /// Asks who the person is now, and keeps the answer.
    ///
    /// - Throws: `signInRequired(.refused)` where the session is over; it is ended here too.
    @discardableResult
    public func user() async throws(AuthError) -> SupabaseUser {
        try await run { held in
            let user = try await held.service.user(.user(held.token))
            return (held.change(user), user)
        }
    }

    /// Asks whether the session is still good, so that a sign-out elsewhere is seen at once.
    public func validate() async throws(AuthError) { try await user() }

    /// Changes the person.
    ///
    /// - Parameters:
    ///   - update: What shall change.
    ///   - redirect: Where the link in a mail about another address leads; `nil`: as ``SupabaseProvider/redirect`` says.
    /// - Throws: `refused(.factorRequired)` where a further factor, the present password or a nonce is wanted first;
    ///   `configuration(.invalid)` for a redirect that the service would drop.
    @discardableResult
    public func update(_ update: SupabaseUserUpdate, redirect: String? = nil) async throws(AuthError) -> SupabaseUser {
        if let redirect { try provider.check(redirect: redirect) }
        // Nothing else of an update sends a link.
        let redirect = redirect ?? (update.email == nil ? nil : provider.redirect)
        return try await run { held in
            let user = try await held.service.user(.update(update, redirect: redirect, bearer: held.token))
            return (held.change(user), user)
        }
    }

    /// Has a nonce sent, which ``SupabaseUserUpdate/nonce`` takes.
    public func reauthenticate() async throws(AuthError) {
        try await run { held in
            _ = try await held.service.send(ServiceRequest("GET", "/reauthenticate", bearer: held.token))
            return (CredentialChange(), ())
        }
    }

    /// Confirms another address or number by the code that was sent there.
    ///
    /// - Returns: Whether it counts now. `false`: the old address got a code too, which is wanted as well.
    public func confirm(_ newIdentifier: String, code: Secret) async throws(AuthError) -> Bool {
        try await run { held in
            let who = Identifier(newIdentifier)
            let response = try await held.service.send(.confirm(who, code: code))
            let json = try held.service.read(response) { $0 }
            guard !SessionAnswer.isHalf(json) else { return (CredentialChange(), false) }
            let change = try held.change(held.service.read(response, SessionAnswer.init))
            // The answer is a session of its own; the former one would live on unseen.
            _ = try? await held.provider.logOut(.thisSession, held.token, held.service)
            return (change, true)
        }
    }

    /// Ends every other session of the person.
    public func signOutOthers() async throws(AuthError) {
        try await run { held in
            _ = try await held.service.send(.logOut(.others, bearer: held.token))
            return (CredentialChange(), ())
        }
    }

    /// The tokens of the identity provider behind a social sign-in, as long as the session lasts.
    ///
    /// - Returns: Access and refresh token, each where the provider gave one. The service does not refresh them.
    public func providerTokens() async throws(AuthError) -> (access: Secret?, refresh: Secret?) {
        try await run { held in
            let tokens = SessionState(held.session.state)
            return (CredentialChange(), (tokens.providerToken, tokens.providerRefreshToken))
        }
    }
}

extension AuthSession {
    /// The person, as the service last described them.
    public var supabaseUser: SupabaseUser? { SessionState(state).user.flatMap { try? SupabaseUser($0) } }
}

extension SupabaseService {
    /// The person that a request describes.
    func user(_ request: ServiceRequest) async throws -> SupabaseUser {
        try read(await send(request), SupabaseUser.init)
    }
}
