public import Latchkey
import LatchkeyCrypto

/// Keeps keys in the desktop's keyring, 32 bytes each, as one line of base64url. The cases of
/// ``SecretServiceKeyring`` apply here.
public struct SecretServiceKeyHolder: KeyHolder {
    /// `secret-service`.
    public let source = "secret-service"
    /// The keyring that has the keys.
    public let keyring: SecretServiceKeyring
    private static let kind = "key"
    private static let length = 32

    /// Creates a holder over `keyring`.
    public init(_ keyring: SecretServiceKeyring) { self.keyring = keyring }

    /// Returns whether the keyring can be asked, which is so for a locked one too. Never prompts.
    public func availability() async -> UnlockAvailability { await keyring.availability() }

    /// Returns the key under `name`; `nil` if the keyring is open and has none.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `locked`, `store(.unavailable)`, `store(.damaged)`.
    public func key(_ name: String) async throws -> Secret? {
        let attributes = keyring.attributes(Self.kind, name)
        return try await keyring.ask { try Self.read(attributes, $0, in: $0.openCollection()) }
    }

    /// Keeps `key` in place of the previous one, and reads it back.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)` for any length but 32 bytes; `locked`,
    ///   `store(.unavailable)`, `store(.notDurable)`.
    public func keep(_ key: Secret, under name: String) async throws {
        guard key.count == Self.length else {
            throw AuthError(.configuration(.invalid), "a key of a keyring has \(Self.length) bytes")
        }
        let (attributes, label) = (keyring.attributes(Self.kind, name), keyring.label)
        try await keyring.ask { keyring in
            let collection = try keyring.openCollection()
            try keyring.put(key.encoded(), label: label, attributes, in: collection)
            guard try Self.read(attributes, keyring, in: collection) == key else {
                throw AuthError(.store(.notDurable), "the keyring did not keep the key")
            }
        }
    }

    /// Removes the key. Does nothing if there is none.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `locked`, `store(.unavailable)`.
    public func remove(_ name: String) async throws {
        let attributes = keyring.attributes(Self.kind, name)
        try await keyring.ask { keyring in
            let collection = try keyring.openCollection()
            for item in try keyring.items(attributes, in: collection) { try keyring.delete(item) }
            guard try keyring.items(attributes, in: collection).isEmpty else {
                throw AuthError(.store(.unavailable), "the keyring did not remove the key")
            }
        }
    }

    private static func read(
        _ attributes: ItemAttributes, _ keyring: KeyringConversation, in collection: String
    ) throws -> Secret? {
        guard let text = try keyring.only(attributes, in: collection) else { return nil }
        let key = try text.decoded()
        guard key.count == length else { throw AuthError(.store(.damaged), "the keyring's item holds no key") }
        return key
    }
}

extension KeyringConversation {
    /// Returns the text of the only item with these attributes; `nil` if there is none.
    func only(_ attributes: ItemAttributes, in collection: String) throws -> Secret? {
        // The item may be removed or replaced between the search and the read; then search again.
        for _ in 0..<8 {
            let items = try items(attributes, in: collection)
            guard items.count < 2 else {
                throw AuthError(.store(.damaged), "the keyring holds \(items.count) items under one name")
            }
            do { return try items.first.map { try text(of: $0) } } catch KeyringProblem.gone { continue }
        }
        throw KeyringProblem.gone
    }
}

extension Secret {
    /// The secret as one line of base64url, which no service cuts or changes.
    func encoded() -> Secret {
        var bytes = reveal()
        defer { bytes.wipe() }
        return Secret(Base64URL.encode(bytes))
    }

    /// Decodes one line of base64url.
    func decoded() throws -> Secret {
        do {
            var bytes = try Base64URL.decode(revealText())
            defer { bytes.wipe() }
            return Secret(bytes)
        } catch {
            throw AuthError(.store(.damaged), "the keyring's item is not as it was written")
        }
    }
}

extension [UInt8] {
    /// Overwrites the bytes before they are freed.
    mutating func wipe() { for index in indices { self[index] = 0 } }
}
