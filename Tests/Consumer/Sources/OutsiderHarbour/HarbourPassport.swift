import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyJSON

/// The harbour's word on a visit: a token whose claims say for which visit, for which app and for how long it was made.
struct HarbourPassport {
    private let claims: JSON
    private let base: String

    /// Reads one that came over TLS, in the answer to our own request. That is why nobody has to check its signature.
    init(_ text: String, of base: String) throws {
        self.base = base
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = try? Base64URL.decode(parts[1]), let claims = try? JSON.parse(bytes) else {
            throw AuthError(.untrusted(.malformed), "the passport is no token", provider: "harbour")
        }
        self.claims = claims
    }

    /// Checks that it was made by this harbour for this visit, this app and this skipper.
    func check(nonce: String, app: String, skipper: String, in context: ProviderContext) throws {
        guard claims["iss"]?.string == base else { throw untrusted(.issuer, "another harbour made the passport") }
        guard claims["aud"]?.string == app else { throw untrusted(.claims, "the passport is for another app") }
        guard claims["nonce"]?.string == nonce else { throw untrusted(.nonce, "the passport is of another visit") }
        guard claims["sub"]?.string == skipper else { throw untrusted(.subject, "the passport is another skipper's") }
        guard let end = claims["exp"]?.number, end > context.serverNow.timeIntervalSince1970 else {
            throw untrusted(.claims, "the passport is too old")
        }
    }

    private func untrusted(_ reason: AuthError.UntrustedReason, _ message: String) -> AuthError {
        AuthError(.untrusted(reason), message, provider: "harbour")
    }
}
