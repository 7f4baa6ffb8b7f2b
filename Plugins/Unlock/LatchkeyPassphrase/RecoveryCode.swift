public import Latchkey
import LatchkeyCrypto

/// A code of 160 random bits that a person prints, and types when every other key is lost.
///
/// Printed as nine groups of four characters of base32 in Crockford's alphabet, in which no letter looks like a
/// digit. The last group is a check, which tells a typing error from a wrong code.
public struct RecoveryCode: Sendable {
    /// The 20 random bytes.
    public let secret: Secret

    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let length = 20
    private static let checkLength = 4

    /// Creates a new code.
    public init(context: PluginContext = .system) { secret = Secret(context.random(Self.length)) }

    /// Reads a code that a person typed, in upper or lower case, with or without hyphens and spaces.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `refused(.wrongInput)`, saying whether characters are missing, are not
    ///   allowed, or do not match the check.
    public init(typed: Secret) throws {
        if let missing = CryptoLibrary.missing { throw AuthError(missing) }
        var values: [UInt8] = []
        defer { for index in values.indices { values[index] = 0 } }
        values.reserveCapacity(64)
        let isPlain = typed.withBytes { bytes in
            for byte in bytes where byte != 0x2D && byte != 0x20 {
                guard values.count < 64, let value = Self.value(of: byte) else { return false }
                values.append(value)
            }
            return true
        }
        guard isPlain else { throw Self.mistyped("has a character that no recovery code has") }
        let count = Self.length * 8 / 5 + Self.checkLength
        guard values.count == count else {
            throw Self.mistyped("has \(values.count) characters, and not \(count)")
        }
        let secret = Self.packed(values.prefix(Self.length * 8 / 5))
        guard Self.check(of: secret) == Array(values.suffix(Self.checkLength)) else {
            throw Self.mistyped("has a mistyped character")
        }
        self.secret = secret
    }

    /// The code to print. Show it once, and never store it.
    public var text: Secret {
        var values = secret.withBytes { Self.spread(Array($0)) } + Self.check(of: secret)
        defer { for index in values.indices { values[index] = 0 } }
        var text: [UInt8] = []
        for (index, value) in values.enumerated() {
            if index > 0, index % 4 == 0 { text.append(0x2D) }
            text.append(Self.alphabet[Int(value)])
        }
        return Secret(text)
    }

    /// The code as a key that opens a store.
    public var key: UnlockKey { UnlockKey(.recoveryCode, secret) }

    private static func mistyped(_ what: String) -> AuthError {
        AuthError(.refused(.wrongInput), "The recovery code \(what).")
    }

    /// Reads one character. O counts as 0, I and L as 1 (Crockford).
    private static func value(of byte: UInt8) -> UInt8? {
        let upper = (0x61...0x7A).contains(byte) ? byte - 0x20 : byte
        switch upper {
        case UInt8(ascii: "O"): return 0
        case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
        default: return alphabet.firstIndex(of: upper).map { UInt8($0) }
        }
    }

    /// Returns the check: the first 20 bits of SHA-256, in groups of five.
    private static func check(of secret: Secret) -> [UInt8] {
        let digest = secret.withBytes { Hash.digest(Array("latchkey/recovery/1".utf8) + Array($0)) }
        return Array(spread(Array(digest.prefix(5))).prefix(checkLength))
    }

    private static func spread(_ bytes: [UInt8]) -> [UInt8] {
        (0..<(bytes.count * 8 / 5)).map { index in
            (0..<5).reduce(0) { value, bit in
                let position = index * 5 + bit
                return value << 1 | (bytes[position / 8] >> (7 - UInt8(position % 8)) & 1)
            }
        }
    }

    private static func packed(_ values: ArraySlice<UInt8>) -> Secret {
        var bytes = [UInt8](repeating: 0, count: values.count * 5 / 8)
        defer { for index in bytes.indices { bytes[index] = 0 } }
        for (index, value) in values.enumerated() {
            for bit in 0..<5 where value >> (4 - UInt8(bit)) & 1 == 1 {
                let position = index * 5 + bit
                bytes[position / 8] |= 1 << (7 - UInt8(position % 8))
            }
        }
        return Secret(bytes)
    }
}
