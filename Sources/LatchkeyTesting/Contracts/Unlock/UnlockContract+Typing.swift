public import Latchkey

extension UnlockContract {
    /// What is typed, for an authenticator that asks for text.
    public struct Typing: Sendable {
        let right: @Sendable (PluginContext) async throws -> Secret
        let wrong: Secret
        let worksOnce: Bool
        let ignoresCase: Bool
        let make: @Sendable (Typist, PluginContext) async throws -> Authenticator

        /// Creates it for a proof that stays the same.
        ///
        /// - Parameters:
        ///   - right: The right proof. Take a long one, so that one that was cut is not right.
        ///   - wrong: A wrong proof, of four characters or more.
        ///   - ignoresCase: Whether capital and small letters are the same.
        ///   - make: Creates what is tested, set up for `right`, over what nothing else uses. It shows a prompt by
        ///     ``Typist/type(_:)`` with the prompt's reason, and takes what that returns for what the person typed.
        public init(
            right: Secret, wrong: Secret, ignoresCase: Bool = false,
            _ make: @escaping @Sendable (Typist, PluginContext) async throws -> Authenticator
        ) {
            self.right = { _ in right }
            self.wrong = wrong
            worksOnce = false
            self.ignoresCase = ignoresCase
            self.make = make
        }

        /// Creates it for a proof that works once, such as a code that changes with time.
        ///
        /// - Parameters:
        ///   - next: Returns the next right proof, after it has moved the clock if it must.
        ///   - wrong: A wrong proof, of four characters or more.
        ///   - make: As of the other.
        public init(
            worksOnce next: @escaping @Sendable (PluginContext) async throws -> Secret, wrong: Secret,
            _ make: @escaping @Sendable (Typist, PluginContext) async throws -> Authenticator
        ) {
            right = next
            self.wrong = wrong
            worksOnce = true
            ignoresCase = true
            self.make = make
        }
    }

    func typed(_ typing: Typing) async throws {
        try await asked(typing)
        try await whole(typing)
        try await late(typing)
        try await failing(typing)
        try await dated(typing)
        try await hidden(typing)
    }

    /// Checks a clause over an authenticator for which the contract types.
    func clause(
        _ text: String, _ typing: Typing, over other: PluginContext? = nil,
        _ body: @escaping @Sendable (Authenticator, Typist) async throws -> Void
    ) async throws {
        let context = other ?? context
        try await clauses.clause(text) {
            let typist = Typist(context.clock)
            let made = try await clauses.given("what makes an authenticator") { try await typing.make(typist, context) }
            try await body(made, typist)
        }
    }

    func right(_ typing: Typing, over other: PluginContext? = nil) async throws -> Secret {
        try await clauses.given("what returns the right proof") { try await typing.right(other ?? context) }
    }

    func expectTold(_ code: AuthError.Code?, is expected: AuthError.Code?, _ what: String) throws {
        try expect(code == expected, "\(what) was told as \(code?.name ?? "right")")
    }

    private func asked(_ typing: Typing) async throws {
        let text = "each proof is asked for anew, with the reason that the prompt gives"
        try await clause(text, typing) { unlock, typist in
            typist.will(.types(try await right(typing)))
            try expectTold(try await code(of: unlock), is: nil, "a right proof")
            typist.will(.types(typing.wrong))
            try expectTold(try await code(of: unlock), is: .refused(.wrongInput), "a wrong proof after a right one")
            typist.will(.types(try await right(typing)))
            try expectTold(try await code(of: unlock), is: nil, "a right proof after a wrong one")
            let reasons = typist.reasons
            try expect(reasons.count == 3, "for three proofs the person was asked \(reasons.count) times")
            try expect(reasons.allSatisfy { $0 == prompt.reason }, "the person saw another reason")
        }
        guard let limit else { return }
        try await clause("nobody is asked who cannot be let in", typing) { unlock, typist in
            typist.will(.types(typing.wrong))
            _ = try await wrongProofs(limit.tries, at: unlock)
            let before = typist.reasons.count
            try await expectLockedOut(unlock)
            try expect(typist.reasons.count == before, "the person was asked after the lock-out")
        }
    }

    private func whole(_ typing: Typing) async throws {
        try await clause("only the whole proof is right", typing) { unlock, typist in
            let count = Self.others(of: try await right(typing), typing).count
            for index in 0..<count {
                let other = Self.others(of: try await right(typing), typing)[index]
                typist.will(.types(other.proof))
                let said = try await code(of: unlock)
                // Nothing typed may also be a no.
                let isNo = other.proof.isEmpty && said == .declined
                if !isNo { try expectTold(said, is: .refused(.wrongInput), "a proof \(other.words)") }
                typist.will(.types(try await right(typing)))
                try expectTold(try await code(of: unlock), is: nil, "the right proof after one \(other.words)")
            }
        }
        guard typing.worksOnce else { return }
        try await clause("a proof that works once does not work twice", typing) { unlock, typist in
            typist.will(.types(try await right(typing)))
            try expectTold(try await code(of: unlock), is: nil, "a right proof")
            try expectTold(try await code(of: unlock), is: .refused(.wrongInput), "the same proof, given again,")
        }
    }

    /// Proofs that are not quite the right one.
    private static func others(of right: Secret, _ typing: Typing) -> [(proof: Secret, words: String)] {
        let bytes = right.reveal()
        guard bytes.count > 1 else { return [(Secret(""), "of nothing")] }
        var found: [(proof: [UInt8], words: String)] = [
            ([], "of nothing"), (bytes.dropLast(), "without its end"),
            (Array(bytes.dropFirst()), "without its beginning"),
            (Array(bytes.prefix(bytes.count / 2)), "of its first half"), (bytes + [0x30], "with more behind it"),
            ([0x30] + bytes, "with more before it"),
            // Not with a zero byte alone: HMAC, and so scrypt, takes a key and that key with zeros behind it for the same.
            (bytes + [0, 0x78], "with a zero byte and more behind it"), (bytes + bytes, "given twice"),
            (bytes.reversed(), "turned round"),
            (bytes + [UInt8](repeating: 0x30, count: 4_096), "of thousands of letters"),
        ]
        for index in bytes.indices where bytes[index] < 0x80 {
            var changed = bytes
            changed[index] = bytes[index] == 0x35 ? 0x36 : 0x35
            if index == bytes.startIndex || index == bytes.count - 1 || index == bytes.count / 2 {
                found.append((changed, "with another letter"))
            }
        }
        if !typing.ignoresCase {
            let text = right.revealText()
            found.append((Array(text.uppercased().utf8), "in capital letters"))
            found.append((Array(text.lowercased().utf8), "in small letters"))
        }
        return found.filter { $0.proof != bytes }.map { (Secret($0.proof), $0.words) }
    }
}
