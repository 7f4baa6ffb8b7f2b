import LatchkeyCrypto

extension DevServer {
    /// The codes of authenticator apps, RFC 6238 with SHA-1, six digits and 30 seconds.
    public enum TOTP {
        /// Returns the code of a Base32 secret at a time in seconds since 1970; `nil` if the secret is invalid.
        public static func code(secret: String, at time: Double) -> String? {
            guard time >= 0, time < 1e15 else { return nil }
            return TimeBasedOneTimePassword(base32: secret)?.code(at: time)
        }
    }
}
