public import Latchkey

/// What a store's lock asks a person: `PassphraseUnlock { try await terminal.passphrase(for: $0.reason) }`.
extension TerminalPresenter {
    /// Asks for a passphrase, which does not show; `nil`: the person said no.
    ///
    /// - Parameter reason: Why it is asked for, one sentence without a full stop, shown before the question.
    /// - Throws: As ``answer(_:)``.
    public func passphrase(for reason: String) async throws -> Secret? {
        try await asked(reason) { texts in texts.passphrase }
    }

    /// Asks for a recovery code; `nil`: the person said no.
    ///
    /// - Throws: As ``answer(_:)``.
    public func recoveryCode(for reason: String) async throws -> Secret? {
        try await asked(reason) { texts in texts.recoveryCode }
    }

    /// Asks for a PIN, which does not show; `nil`: the person said no.
    ///
    /// - Throws: As ``answer(_:)``.
    public func pin(for reason: String) async throws -> Secret? { try await asked(reason) { texts in texts.pin } }

    /// Asks for a new passphrase, twice, until both are the same and long enough; `nil`: the person said no, or three times
    /// it was neither.
    ///
    /// - Parameters:
    ///   - shortest: The fewest characters. There are no other rules: length makes a passphrase strong.
    ///   - reason: What it will be for, one sentence without a full stop.
    /// - Throws: As ``answer(_:)``.
    public func newPassphrase(for reason: String, shortest: Int = 12) async throws -> Secret? {
        try await declining {
            try await write(CleanText.clean(reason) + "\n")
            for _ in 0..<Self.tries {
                let first = try await line(texts.newPassphrase(shortest), hidden: true)
                // Bytes that go on with a character of UTF-8 begin none.
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
