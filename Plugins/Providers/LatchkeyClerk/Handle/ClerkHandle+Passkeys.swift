public import Latchkey
public import LatchkeyJSON
import LatchkeyOAuthCore

/// The start of adding a passkey: what the device needs to make one.
public struct ClerkPasskeyRequest: Sendable, Identifiable {
    /// The passkey's id, for ``ClerkHandle/verifyPasskey(_:credential:)``.
    public let id: String
    /// WebAuthn's options for making a credential.
    public let options: JSON
}

/// A passkey of the person.
public struct ClerkPasskey: Hashable, Sendable, Identifiable {
    /// The passkey's id.
    public let id: String
    /// The display name.
    public let name: String
}

extension ClerkHandle {
    /// Fetches the person's passkeys.
    public func passkeys() async throws(AuthError) -> [ClerkPasskey] {
        (try await me().json["passkeys"]?.array ?? []).compactMap { entry in
            guard let id = entry["id"]?.string, entry["verification"]?["status"] == "verified" else { return nil }
            return ClerkPasskey(id: id, name: entry["name"]?.string ?? id)
        }
    }

    /// Starts adding a passkey. It counts once ``verifyPasskey(_:credential:)`` has confirmed it.
    public func addPasskey() async throws(AuthError) -> ClerkPasskeyRequest {
        try await call("POST", "/me/passkeys", FormParameters()) { answer in
            let passkey = JSONField(answer)
            let options = try JSON.parse(Array(passkey["verification"]["nonce"].string().utf8))
            return ClerkPasskeyRequest(id: try passkey["id"].string(), options: options)
        }
    }

    /// Finishes adding a passkey with the credential that the device made, as WebAuthn's JSON.
    public func verifyPasskey(_ id: String, credential: Secret) async throws(AuthError) {
        let form = FormParameters(of: ["strategy": "passkey", "public_key_credential": credential.revealText()])
        try await call("POST", path("/me/passkeys", id, "/attempt_verification"), form) { _ in }
    }

    /// Renames a passkey.
    public func renamePasskey(_ id: String, to name: String) async throws(AuthError) {
        try await call("PATCH", path("/me/passkeys", id), FormParameters(of: ["name": name])) { _ in }
    }

    /// Removes a passkey.
    public func removePasskey(_ id: String) async throws(AuthError) {
        try await call("DELETE", path("/me/passkeys", id)) { _ in }
    }
}
