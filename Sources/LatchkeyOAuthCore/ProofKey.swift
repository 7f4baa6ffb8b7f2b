public import Latchkey
import LatchkeyCrypto

/// A proof key for code exchange, [RFC 7636](https://www.rfc-editor.org/rfc/rfc7636), with the method `S256` only.
public struct ProofKey: Sendable {
    /// The only method: `plain` is not supported.
    public static let method = "S256"

    /// The verifier, which is sent with the code: 43 to 128 unreserved characters (section 4.1).
    public let verifier: Secret

    /// Creates a key from at least 32 random bytes, which give 43 characters. `nil` for fewer than
    /// 32 or more than 96 bytes.
    public init?(random bytes: [UInt8]) {
        guard (32...96).contains(bytes.count) else { return nil }
        verifier = Secret(Base64URL.encode(bytes))
    }

    /// Restores a key from its verifier. `nil` if its length or a character is not allowed.
    public init?(verifier: Secret) {
        let bytes = verifier.reveal()
        guard (43...128).contains(bytes.count), bytes.allSatisfy(Self.isUnreserved) else { return nil }
        self.verifier = verifier
    }

    /// The challenge, which is sent with the authorization request (section 4.2): 43 characters, not secret.
    public var challenge: String { Base64URL.encode(Hash.digest(verifier.reveal(), .sha256)) }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }
}
