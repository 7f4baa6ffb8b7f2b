public import Latchkey
public import LatchkeyJSON
import LatchkeyOAuthCore

/// A passkey that the service waits for.
public struct ClerkPasskeyRequest: Sendable, Identifiable {
    /// The service's name for it, for ``ClerkHandle/verifyPasskey(_:credential:)``.
    public let id: String
    /// What the device is given: WebAuthn's options to make a credential.
    public let options: JSON
}

/// A passkey of the person.
public struct ClerkPasskey: Hashable, Sendable, Identifiable {
    /// The service's name for it.
    public let id: String
    /// The name to show.
    public let name: String
}

extension ClerkHandle {
    /// The person's passkeys.
    public func passkeys() async throws(AuthError) -> [ClerkPasskey] {
        (try await me().json["passkeys"]?.array ?? []).compactMap { entry in
            guard let id = entry["id"]?.string, entry["verification"]?["status"] == "verified" else { return nil }
            return ClerkPasskey(id: id, name: entry["name"]?.string ?? id)
        }
    }

    /// Begins a passkey: what the device is given. It counts once ``verifyPasskey(_:credential:)`` has its answer.
    public func addPasskey() async throws(AuthError) -> ClerkPasskeyRequest {
        try await call("POST", "/me/passkeys", FormParameters()) { answer in
            let passkey = JSONField(answer)
            let options = try JSON.parse(Array(passkey["verification"]["nonce"].string().utf8))
            return ClerkPasskeyRequest(id: try passkey["id"].string(), options: options)
        }
    }

    /// Hands over what the device made: the credential as WebAuthn's JSON.
    public func verifyPasskey(_ id: String, credential: Secret) async throws(AuthError) {
        let form = FormParameters(of: ["strategy": "passkey", "public_key_credential": credential.revealText()])
        try await call("POST", path("/me/passkeys", id, "/attempt_verification"), form) { _ in }
    }

    /// Gives a passkey a name that the person knows it by.
    public func renamePasskey(_ id: String, to name: String) async throws(AuthError) {
        try await call("PATCH", path("/me/passkeys", id), FormParameters(of: ["name": name])) { _ in }
    }

    /// Takes a passkey away.
    public func removePasskey(_ id: String) async throws(AuthError) {
        try await call("DELETE", path("/me/passkeys", id)) { _ in }
    }
}
