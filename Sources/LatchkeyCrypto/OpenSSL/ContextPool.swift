import COpenSSL
import LatchkeyLocked

/// Prepared `EVP_PKEY_CTX` of one key, waiting for the next signature.
///
/// Preparing one costs as much as checking an RSA signature, so each is used again. One context serves one task at a
/// time; at most ``limit`` wait per use, the rest is freed when it comes back.
final class ContextPool: Sendable {
    enum Purpose: Hashable, Sendable {
        case signing
        case verifying
    }

    struct Use: Hashable, Sendable {
        var purpose: Purpose
        var algorithm: SignatureAlgorithm
    }

    static let limit = 8

    private let idle = Locked<[Use: [OpaquePointer]]>([:])

    deinit {
        idle.withLock { for context in $0.values.joined() { EVP_PKEY_CTX_free(context) } }
    }

    func take(_ use: Use) -> OpaquePointer? {
        idle.withLock { $0[use]?.popLast() }
    }

    func giveBack(_ context: OpaquePointer, _ use: Use) {
        let isKept = idle.withLock { idle in
            guard idle[use, default: []].count < Self.limit else { return false }
            idle[use, default: []].append(context)
            return true
        }
        if !isKept { EVP_PKEY_CTX_free(context) }
    }
}
