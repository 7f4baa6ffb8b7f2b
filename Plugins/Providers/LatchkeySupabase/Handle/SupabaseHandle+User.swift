public import Latchkey
public import LatchkeyJSON

/// Changes to a person. A property that is `nil` stays as it is.
public struct SupabaseUserUpdate: Sendable {
    /// A new mail address, which counts once it is confirmed.
    public var email: String?
    /// A new telephone number, which counts once it is confirmed.
    public var phone: String?
    /// A new password. It ends the person's other sessions.
    public var password: Secret?
    /// The current password, if the project asks for it.
    public var currentPassword: Secret?
    /// The nonce that ``SupabaseHandle/reauthenticate()`` sent, if the project asks for it.
    public var nonce: Secret?
    /// The app's metadata, merged key by key at the top level; null removes a key.
    public var metadata: [String: JSON] = [:]

    /// Creates an update that changes nothing.
    public init() {}
}

extension SupabaseHandle {
    /// Fetches the person's current description and stores it in the session.
    ///
    /// - Throws: `signInRequired(.refused)` if the session is over; it then ends here too.
    @discardableResult
    public func user() async throws(AuthError) -> SupabaseUser {
        try await run { held in
            let user = try await held.service.user(.user(held.token))
            return (held.change(user), user)
        }
    }

    /// Checks with the service that the session is still valid, so that a sign-out elsewhere is noticed at once.
    public func validate() async throws(AuthError) { try await user() }

    /// Changes the person.
    ///
    /// - Parameters:
    ///   - update: The changes.
    ///   - redirect: The address that the link in a mail about a new address leads to; `nil` for
    ///     ``SupabaseProvider/redirect``.
    /// - Throws: `refused(.factorRequired)` if a further factor, the current password or a nonce is
    ///   needed first; `configuration(.invalid)` for a redirect that the service would drop.
    @discardableResult
    public func update(_ update: SupabaseUserUpdate, redirect: String? = nil) async throws(AuthError) -> SupabaseUser {
        if let redirect { try provider.check(redirect: redirect) }
        // Only a change of the mail address sends a link.
        let redirect = redirect ?? (update.email == nil ? nil : provider.redirect)
        return try await run { held in
            let user = try await held.service.user(.update(update, redirect: redirect, bearer: held.token))
            return (held.change(user), user)
        }
    }

    /// Sends the person a nonce for ``SupabaseUserUpdate/nonce``.
    public func reauthenticate() async throws(AuthError) {
        try await run { held in
            try await held.service.acknowledged(ServiceRequest("GET", "/reauthenticate", bearer: held.token))
            return (CredentialChange(), ())
        }
    }

    /// Confirms a new mail address or telephone number with the code that was sent to it.
    ///
    /// - Returns: Whether the change is complete. `false` if the old address got a code that must be confirmed too.
    public func confirm(_ newIdentifier: String, code: Secret) async throws(AuthError) -> Bool {
        try await run { held in
            let who = Identifier(newIdentifier)
            let response = try await held.service.send(.confirm(who, code: code))
            let json = try held.service.read(response) { $0 }
            guard !SessionAnswer.isHalf(json) else { return (CredentialChange(), false) }
            let change = try held.change(held.service.read(response, SessionAnswer.init))
            // The answer carries a new session; the former one would otherwise stay alive unseen.
            _ = try? await held.provider.logOut(.thisSession, held.token, held.service)
            return (change, true)
        }
    }

    /// Ends all other sessions of the person.
    public func signOutOthers() async throws(AuthError) {
        try await run { held in
            try await held.service.acknowledged(.logOut(.others, bearer: held.token), isEmpty: true)
            return (CredentialChange(), ())
        }
    }

    /// Returns the identity provider's tokens from a social sign-in, for as long as the session lasts.
    ///
    /// - Returns: The access token and the refresh token, each if the provider gave one. The
    ///   service does not refresh them.
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
    /// Returns the person that the answer to `request` describes.
    func user(_ request: ServiceRequest) async throws -> SupabaseUser {
        try read(await send(request), SupabaseUser.init)
    }
}
