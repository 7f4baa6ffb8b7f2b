import COpenSSL
import LatchkeySystem

/// Prepared `EVP_PKEY_CTX` of one key, kept for the next signature.
///
/// Preparing one costs as much as checking an RSA signature, so each is reused. One context serves
/// one task at a time; at most ``limit`` are kept for each use, and the others are freed when they come back.
final class ContextPool: Sendable {
    enum Purpose: Hashable, Sendable {
        case signing
        case verifying
    }

    struct Use: Sendable {
        var purpose: Purpose
        var algorithm: SignatureAlgorithm

        /// The purpose's place in the pool, found without hashing a name.
        fileprivate var place: Int {
            let number =
                switch algorithm {
                case .rs256: 0
                case .rs384: 1
                case .rs512: 2
                case .ps256: 3
                case .ps384: 4
                case .ps512: 5
                case .es256: 6
                case .es384: 7
                case .es512: 8
                case .edDSA: 9
                }
            return purpose == .signing ? number : 10 + number
        }
    }

    static let limit = 8

    private let idle = Locked([[OpaquePointer]](repeating: [], count: 20))

    deinit {
        idle.withLock { for context in $0.joined() { libcrypto.EVP_PKEY_CTX_free(context) } }
    }

    func take(_ use: Use) -> OpaquePointer? {
        idle.withLock { $0[use.place].popLast() }
    }

    func giveBack(_ context: OpaquePointer, _ use: Use) {
        let isKept = idle.withLock { idle in
            guard idle[use.place].count < Self.limit else { return false }
            idle[use.place].append(context)
            return true
        }
        if !isKept { libcrypto.EVP_PKEY_CTX_free(context) }
    }
}
