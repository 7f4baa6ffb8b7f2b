public import Latchkey
public import LatchkeyJSON

/// A passkey that the app's authenticator is to make.
public struct SupabasePasskeyRequest: Sendable, Identifiable {
    /// The service's number of it.
    public var id: String
    /// What the authenticator is given (Web Authentication, PublicKeyCredentialCreationOptions).
    public var options: JSON
}

extension SupabaseHandle {
    /// How the person can sign in, asked for anew.
    public func identities() async throws(AuthError) -> [SupabaseIdentity] { try await user().identities }

    /// Adds a way to sign in: an ID token at once, or a visit in a browser.
    ///
    /// - Returns: A new session of the same person, or the visit to answer.
    public func link(
        _ method: SignInMethod, options: SignInOptions = SignInOptions()
    ) async throws(AuthError) -> SignInStep {
        try await withGoodToken { () throws(AuthError) in
            try await client.begin(.link(method, account: account), with: provider.name, options: options)
        }
    }

    /// Removes a way to sign in. The last one stays.
    public func unlink(_ identityID: String) async throws(AuthError) {
        let path = try path("/user/identities", identityID)
        try await run { held in
            _ = try await held.service.send(ServiceRequest("DELETE", path, bearer: held.token))
            return (CredentialChange(), ())
        }
    }

    /// The person's passkeys.
    public func passkeys() async throws(AuthError) -> [SupabasePasskey] {
        try await run { held in
            let response = try await held.service.send(ServiceRequest("GET", "/passkeys", bearer: held.token))
            return (CredentialChange(), try held.service.read(response, SupabasePasskey.list))
        }
    }

    /// Begins another passkey.
    public func beginPasskey() async throws(AuthError) -> SupabasePasskeyRequest {
        try await run { held in
            let request = ServiceRequest("POST", "/passkeys/registration/options", bearer: held.token)
            let offer = try held.service.read(await held.service.send(request), PasskeyOffer.init)
            return (CredentialChange(), SupabasePasskeyRequest(id: offer.id, options: offer.options))
        }
    }

    /// Ends what ``beginPasskey()`` began with what the authenticator made.
    public func addPasskey(
        _ request: SupabasePasskeyRequest, credential: JSON
    ) async throws(AuthError) -> SupabasePasskey {
        try await run { held in
            let request = ServiceRequest.register(request.id, credential, bearer: held.token)
            return (CredentialChange(), try held.service.read(await held.service.send(request), SupabasePasskey.init))
        }
    }

    /// Gives a passkey another name, of 1 to 120 bytes.
    public func rename(passkey id: String, to name: String) async throws(AuthError) {
        let path = try path("/passkeys", id)
        try await run { held in
            _ = try await held.service.send(.rename(path, name, bearer: held.token))
            return (CredentialChange(), ())
        }
    }

    /// Removes a passkey.
    public func remove(passkey id: String) async throws(AuthError) {
        let path = try path("/passkeys", id)
        try await run { held in
            _ = try await held.service.send(ServiceRequest("DELETE", path, bearer: held.token))
            return (CredentialChange(), ())
        }
    }
}
