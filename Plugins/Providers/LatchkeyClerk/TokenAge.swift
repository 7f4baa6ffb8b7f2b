import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyPluginKit

/// The age of what a session token says: first when the origin said it (`oiat`, in the header of a
/// token minted at the edge), then when the token was minted.
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
