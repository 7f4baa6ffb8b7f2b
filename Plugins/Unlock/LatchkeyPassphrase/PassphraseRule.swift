public import Latchkey

/// Checks that a new passphrase is long enough. Only length counts, as NIST SP 800-63B (section 3.1.1.2)
/// recommends: rules about kinds of characters make passphrases harder to remember, not harder to guess.
public struct PassphraseRule: Hashable, Sendable {
    /// The fewest characters (Unicode scalars) that are accepted.
    public var shortest: Int

    /// Creates a rule. The default is 12 characters, because someone who has the file can try as often as
    /// stretching allows.
    public init(shortest: Int = 12) { self.shortest = shortest }

    /// Checks that `passphrase` is long enough.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)`, saying how many characters are missing.
    public func check(_ passphrase: Secret) throws {
        // Continuation bytes of UTF-8 (RFC 3629) begin no character.
        let count = passphrase.withBytes { bytes in bytes.count { $0 & 0xC0 != 0x80 } }
        guard count >= shortest else {
            throw AuthError(
                .configuration(.invalid),
                "The passphrase has \(count) characters; take \(shortest) or more, such as four words.")
        }
    }
}
