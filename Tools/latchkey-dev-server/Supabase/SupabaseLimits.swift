import LatchkeyHTTPServer

/// The rest of a quota, and the time at which that was counted.
struct SupabaseBucket: Sendable {
    var left: Double
    var at: Double
}

extension SupabaseState {
    /// The limits for each address of a caller.
    enum Limit: String {
        case token
        case verify
        case signUp
        case otp
        case magicLink
        case recover
        case resend
        case user
        case anonymous
        case challenge
        case factorVerify
        case sso
        case passkey
        case web3
    }

    /// Takes one from a quota that refills over time; `false` if nothing is left.
    mutating func take(from name: String, burst: Int, perSecond: Double) -> Bool {
        var bucket = buckets[name] ?? SupabaseBucket(left: Double(burst), at: now)
        bucket.left = min(Double(burst), bucket.left + max(0, now - bucket.at) * perSecond)
        bucket.at = now
        let isLeft = bucket.left >= 1
        if isLeft { bucket.left -= 1 }
        buckets[name] = bucket
        return isLeft
    }

    /// Counts a request against its caller's address, if a header field for it is configured.
    mutating func limit(_ limit: Limit, _ call: SupabaseCall) throws(SupabaseFailure) {
        guard let field = settings.addressField, let address = call.request.field(field) else { return }
        let (burst, perSecond) =
            switch limit {
            case .token: (30, 0.5)
            case .anonymous: (settings.anonymousPerHour, Double(settings.anonymousPerHour) / 3600)
            case .challenge, .factorVerify: (30, 0.25)
            default: (30, 0.1)
            }
        guard take(from: "\(limit.rawValue) \(address)", burst: burst, perSecond: perSecond) else {
            throw SupabaseFailure(429, .overRequestRateLimit, "Request rate limit reached")
        }
    }
}
