import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyPluginKit

/// How old what a session token says is: when the origin said it (`oiat`, in the header of one that the edge minted), then when
/// it was minted.
struct TokenAge: Comparable {
    private let saidAt: Int64
    private let mintedAt: Int64

    init(_ token: AccessToken) {
        mintedAt = (try? TokenClaims(of: token.value))?["iat"]?.integer ?? 0
        saidAt = Self.header(token.value)?["oiat"]?.integer ?? mintedAt
    }

    static func < (left: Self, right: Self) -> Bool {
        (left.saidAt, left.mintedAt) < (right.saidAt, right.mintedAt)
    }

    private static func header(_ token: Secret) -> JSON? {
        let header = token.reveal().prefix { $0 != UInt8(ascii: ".") }
        return (try? Base64URL.decode(header)).flatMap { try? JSON.parse($0) }
    }
}
