/// The codes of authenticator apps, RFC 6238: a code for each step of time, by a key that app and service share.
///
/// The service remembers the step of the last code that it took, and takes no code of that step or of an earlier one again
/// (RFC 6238, section 5.2).
public struct TimeBasedOneTimePassword: Hashable, Sendable {
    /// The hash function. Most authenticator apps know SHA-1 only, which is sound here (RFC 6238, section 1.2).
    public enum Algorithm: Hashable, Sendable, CaseIterable {
        case sha1
        case sha256
        case sha512
    }

    /// The shared key.
    public let key: [UInt8]
    /// The hash function.
    public let algorithm: Algorithm
    /// How many digits a code has, 6 to 8.
    public let digits: Int
    /// How many seconds a step lasts.
    public let period: Int

    /// Creates the codes of a key.
    ///
    /// - Parameters:
    ///   - key: At least one byte; RFC 4226 asks for 16, and recommends 20.
    ///   - algorithm: The hash function.
    ///   - digits: Kept between 6 and 8.
    ///   - period: Seconds, at least 1.
    public init(key: [UInt8], algorithm: Algorithm = .sha1, digits: Int = 6, period: Int = 30) {
        self.key = key
        self.algorithm = algorithm
        self.digits = min(max(digits, 6), 8)
        self.period = max(period, 1)
    }

    /// Creates the codes of a key as an authenticator app shows it; `nil` if that is no Base32 (RFC 4648, section 6). Spaces
    /// and small letters are accepted.
    public init?(base32: String, algorithm: Algorithm = .sha1, digits: Int = 6, period: Int = 30) {
        guard let key = Base32.decode(base32) else { return nil }
        self.init(key: key, algorithm: algorithm, digits: digits, period: period)
    }

    /// The key as an authenticator app takes it.
    public var base32: String { Base32.encode(key) }

    /// Returns the step of a time in seconds since 1970; the first one before that.
    public func step(at seconds: Double) -> UInt64 { UInt64(min(max(seconds, 0), 1e15)) / UInt64(period) }

    /// Returns the code of a step.
    public func code(of step: UInt64) -> String {
        let message = (0..<8).map { UInt8(truncatingIfNeeded: step >> UInt64(56 - 8 * $0)) }
        let digest = Backend.oneTimeCode(for: message, key: key, algorithm)
        let offset = Int(digest[digest.count - 1] & 15)
        let number = digest[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let limit = (0..<digits).reduce(UInt32(1)) { limit, _ in limit * 10 }
        return String(String(UInt64(limit) + UInt64(number % limit)).dropFirst())
    }

    /// Returns the code at a time in seconds since 1970.
    public func code(at seconds: Double) -> String { code(of: step(at: seconds)) }

    /// Returns the step that `code` belongs to, for the service to remember; `nil` if it is no code of this time.
    ///
    /// - Parameters:
    ///   - code: What was typed.
    ///   - seconds: The time, since 1970.
    ///   - last: The step of the last code that was taken. It, and those before it, are not taken again.
    ///   - tolerance: How many steps the app's clock may be off, either way.
    public func step(of code: String, at seconds: Double, after last: UInt64? = nil, tolerance: UInt64 = 1) -> UInt64? {
        let now = step(at: seconds)
        let entered = Array(code.utf8)
        var found: UInt64?
        // Every step is looked at, so that the time it takes does not tell which one it was.
        for step in (now - min(now, tolerance))...(now + tolerance)
        where constantTimeEqual(Array(self.code(of: step).utf8), entered) {
            found = found ?? step
        }
        return found.flatMap { step in last.map { step > $0 } ?? true ? step : nil }
    }
}
