public import Latchkey

/// Whether a new passphrase is long enough. Length alone counts, as NIST SP 800-63B (section 3.1.1.2) has it: rules about
/// kinds of characters make passphrases that are harder to keep in mind and not to guess.
public struct PassphraseRule: Hashable, Sendable {
    /// The fewest characters (Unicode scalars) that are taken.
    public var shortest: Int

    /// A rule. The default is 12 characters: whoever has the file may try as often as stretching allows.
    public init(shortest: Int = 12) { self.shortest = shortest }

    /// Refuses what is shorter.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)`, with how many characters are missing.
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
