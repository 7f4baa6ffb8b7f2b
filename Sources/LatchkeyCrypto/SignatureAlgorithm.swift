/// A signature algorithm with its name in JOSE, RFC 7518 section 3.1 and RFC 8037 section 3.1.
///
/// There are only asymmetric ones: `none` and `HS256` cannot be expressed.
public enum SignatureAlgorithm: String, Hashable, Sendable, CaseIterable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case edDSA = "EdDSA"

    /// The hash function for the message; `nil` for EdDSA, which hashes by itself, with SHA-512 for Ed25519.
    public var hash: HashAlgorithm? {
        switch self {
        case .rs256, .ps256, .es256: .sha256
        case .rs384, .ps384, .es384: .sha384
        case .rs512, .ps512, .es512: .sha512
        case .edDSA: nil
        }
    }

    /// Whether RSA signs with PSS padding, its salt as long as the digest (RFC 7518 section 3.5).
    var isPSS: Bool {
        switch self {
        case .ps256, .ps384, .ps512: true
        default: false
        }
    }
}
