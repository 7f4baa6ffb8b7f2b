public import Latchkey
public import LatchkeyJSON

/// The start of adding a passkey: what the app's authenticator needs to make one.
public struct SupabasePasskeyRequest: Sendable, Identifiable {
    /// The request's id at the service.
    public var id: String
    /// The options for the authenticator (Web Authentication, PublicKeyCredentialCreationOptions).
    public var options: JSON
}

extension SupabaseHandle {
    /// Fetches the identities with which the person can sign in.
    public func identities() async throws(AuthError) -> [SupabaseIdentity] { try await user().identities }

    /// Adds a way to sign in: an ID token at once, or a visit in a browser.
    ///
    /// - Returns: A new session of the same person, or the challenge with the visit.
    public func link(
        _ method: SignInMethod, options: SignInOptions = SignInOptions()
    ) async throws(AuthError) -> SignInStep {
        try await withGoodToken { (person) throws(AuthError) in
            try await client.begin(.link(method, account: person), with: provider.name, options: options)
        }
    }

    /// Removes a way to sign in. The last one cannot be removed.
    public func unlink(_ identityID: String) async throws(AuthError) {
        let path = try path("/user/identities", identityID)
        try await run { held in
            try await held.service.acknowledged(ServiceRequest("DELETE", path, bearer: held.token))
            return (CredentialChange(), ())
        }
    }

    /// Fetches the person's passkeys.
    public func passkeys() async throws(AuthError) -> [SupabasePasskey] {
        try await run { held in
            let response = try await held.service.send(ServiceRequest("GET", "/passkeys", bearer: held.token))
            return (CredentialChange(), try held.service.read(response, SupabasePasskey.list))
        }
    }

    /// Starts adding a passkey.
    public func beginPasskey() async throws(AuthError) -> SupabasePasskeyRequest {
        try await run { held in
            let request = ServiceRequest("POST", "/passkeys/registration/options", bearer: held.token)
            let offer = try held.service.read(await held.service.send(request), PasskeyOffer.init)
            return (CredentialChange(), SupabasePasskeyRequest(id: offer.id, options: offer.options))
        }
    }

    /// Finishes adding a passkey that ``beginPasskey()`` started, with what the authenticator returned.
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
            try await held.service.acknowledged(.rename(path, name, bearer: held.token))
            return (CredentialChange(), ())
        }
    }

    /// Removes a passkey.
    public func remove(passkey id: String) async throws(AuthError) {
        let path = try path("/passkeys", id)
        try await run { held in
            try await held.service.acknowledged(ServiceRequest("DELETE", path, bearer: held.token), isEmpty: true)
            return (CredentialChange(), ())
        }
    }
}
