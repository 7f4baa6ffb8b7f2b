/// Keyed hashes, RFC 2104.
public enum KeyedHash {
    /// Returns the authentication code of `message` under `key`, which may have any length.
    public static func code(
        for message: [UInt8], key: [UInt8], algorithm: HashAlgorithm = .sha256
    ) -> [UInt8] {
        Backend.authenticationCode(for: message, key: key, algorithm)
    }

    /// Returns whether `code` is the whole code of `message` under `key`. The time that it takes does
    /// not depend on where they differ.
    public static func isValid(
        _ code: [UInt8], for message: [UInt8], key: [UInt8], algorithm: HashAlgorithm = .sha256
    ) -> Bool {
        constantTimeEqual(code, Self.code(for: message, key: key, algorithm: algorithm))
    }
}
