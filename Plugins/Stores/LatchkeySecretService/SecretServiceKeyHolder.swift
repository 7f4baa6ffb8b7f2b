public import Latchkey
import LatchkeyCrypto

/// Keys in the desktop's keyring, 32 bytes each, as one line of base64url: what ``SecretServiceKeyring`` says of its cases
/// holds here.
public struct SecretServiceKeyHolder: KeyHolder {
    /// `secret-service`.
    public let source = "secret-service"
    /// Where the keys are.
    public let keyring: SecretServiceKeyring
    private static let kind = "key"
    private static let length = 32

    /// A holder over `keyring`.
    public init(_ keyring: SecretServiceKeyring) { self.keyring = keyring }

    /// Whether the keyring can be asked: a locked one can. Never prompts.
    public func availability() async -> UnlockAvailability { await keyring.availability() }

    /// The key under `name`; `nil`: the keyring is open, and has none.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `locked`, `store(.unavailable)`, `store(.damaged)`.
    public func key(_ name: String) async throws -> Secret? {
        let attributes = keyring.attributes(Self.kind, name)
        return try await keyring.ask { try Self.read(attributes, $0, in: $0.openCollection()) }
    }

    /// Keeps `key` in place of what was there, and reads it back.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)` for another length than 32 bytes; `locked`,
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

    /// Removes the key; absent is fine.
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
    /// The text of the one item with these attributes; `nil`: none.
    func only(_ attributes: ItemAttributes, in collection: String) throws -> Secret? {
        // Removed, or put anew, between the search and the reading: then it is searched for again.
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
    /// As one line of base64url, which no service cuts or changes.
    func encoded() -> Secret {
        var bytes = reveal()
        defer { bytes.wipe() }
        return Secret(Base64URL.encode(bytes))
    }

    /// What one line of base64url says.
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
    /// Overwrites what is let go.
    mutating func wipe() { for index in indices { self[index] = 0 } }
}
