public import Latchkey

/// Questions for unlocking a store, as in
/// `PassphraseUnlock { try await terminal.passphrase(for: $0.reason) }`.
extension TerminalPresenter {
    /// Asks for a passphrase, with hidden input; `nil` if the person said no.
    ///
    /// - Parameter reason: The reason for asking: one sentence without a full stop, shown before the question.
    /// - Throws: The errors of ``answer(_:)``.
    public func passphrase(for reason: String) async throws -> Secret? {
        try await asked(reason) { texts in texts.passphrase }
    }

    /// Asks for a recovery code; `nil` if the person said no.
    ///
    /// - Throws: The errors of ``answer(_:)``.
    public func recoveryCode(for reason: String) async throws -> Secret? {
        try await asked(reason) { texts in texts.recoveryCode }
    }

    /// Asks for a PIN, with hidden input; `nil` if the person said no.
    ///
    /// - Throws: The errors of ``answer(_:)``.
    public func pin(for reason: String) async throws -> Secret? { try await asked(reason) { texts in texts.pin } }

    /// Asks twice for a new passphrase, until both inputs are the same and long enough; `nil` if the person said
    /// no, or failed three times.
    ///
    /// - Parameters:
    ///   - shortest: The fewest characters. There are no other rules, because length makes a passphrase strong.
    ///   - reason: What the passphrase is for: one sentence without a full stop.
    /// - Throws: The errors of ``answer(_:)``.
    public func newPassphrase(for reason: String, shortest: Int = 12) async throws -> Secret? {
        try await declining {
            try await write(CleanText.clean(reason) + "\n")
            for _ in 0..<Self.tries {
                let first = try await line(texts.newPassphrase(shortest), hidden: true)
                // Count characters: continuation bytes of UTF-8 begin none.
                guard first.withBytes({ bytes in bytes.count { $0 & 0xC0 != 0x80 } }) >= shortest else {
                    try await write(texts.shortPassphrase(shortest))
                    continue
                }
                if first == (try await line(texts.repeated, hidden: true)) { return first }
                try await write(texts.different)
            }
            return nil
        }
    }

    private func asked(_ reason: String, _ question: (TerminalTexts) -> String) async throws -> Secret? {
        let prompt = question(texts)
        return try await declining {
            try await write(CleanText.clean(reason) + "\n")
            return try await line(prompt, hidden: true)
        }
    }
}
