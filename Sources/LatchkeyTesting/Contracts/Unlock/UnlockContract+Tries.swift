public import Latchkey

extension UnlockContract {
    /// How many wrong proofs an authenticator accepts, and how to create another instance for the same person.
    public struct Limit: Sendable {
        let tries: Int
        let isInFiles: Bool
        let again: @Sendable (Authenticator, Situation, PluginContext) async throws -> Authenticator

        /// Creates a limit.
        ///
        /// - Parameters:
        ///   - tries: How many wrong proofs in a row are refused before the authenticator locks
        ///     the person out. 1 or more.
        ///   - isInFiles: Whether the count is in the context's files, if the authenticator keeps anything there.
        ///   - again: Creates another instance over what the given one stores, as the next
        ///     process would. The situation says what the person does: any but `unavailable`.
        public init(
            tries: Int, isInFiles: Bool = true,
            again: @escaping @Sendable (Authenticator, Situation, PluginContext) async throws -> Authenticator
        ) {
            self.tries = tries
            self.isInFiles = isInFiles
            self.again = again
        }
    }

    func limited(_ limit: Limit) async throws {
        try await clause("after its limit of wrong proofs it is locked out, and says so", .wrong) { first in
            let refused = try await wrongProofs(limit.tries, at: first)
            try expect(refused == limit.tries, "it refused \(refused) wrong proofs and not \(limit.tries)")
            try await expectLockedOut(first)
        }
        try await clause("wrong proofs are counted across instances", .wrong) { first in
            let second = try await limit.again(first, .wrong, context)
            _ = try await wrongProofs(limit.tries - 1, at: first)
            _ = try await wrongProofs(1, at: second)
            try await expectLockedOut(second)
            try await expectLockedOut(first)
        }
        try await clause("whoever is locked out is not let in by a right proof", .wrong) { first in
            _ = try await wrongProofs(limit.tries, at: first)
            try await expectLockedOut(try await limit.again(first, .right, context))
        }
        try await clause("a right proof begins the count anew", .wrong) { first in
            _ = try await wrongProofs(limit.tries - 1, at: first)
            _ = try await ask(try await limit.again(first, .right, context))
            _ = try await wrongProofs(limit.tries - 1, at: first)
            _ = try await ask(try await limit.again(first, .right, context))
        }
        // A count that is read and written back later shows its fault once two instances have met in between.
        for _ in 1...8 {
            try await clause("two instances at once count each wrong proof", .wrong) { first in
                let second = try await limit.again(first, .wrong, context)
                async let one = wrongProofs(limit.tries, at: first)
                async let other = wrongProofs(limit.tries, at: second)
                let refused = try await one + other
                try expect(refused == limit.tries, "both refused \(refused) wrong proofs and not \(limit.tries)")
            }
        }
        // Both check whether a try is left before either has counted its own.
        let meeting = Meeting()
        let slow = context.onSlowDisk(meeting)
        for _ in 1...4 {
            try await clause("two instances at once count each wrong proof", .wrong, over: slow) { first in
                let second = try await limit.again(first, .wrong, slow)
                _ = try await wrongProofs(limit.tries - 1, at: first)
                let proofs = [first, second].map { each in
                    { @Sendable () async throws -> Int in try await wrongProofs(1, at: each) }
                }
                meeting.expect(proofs.count)
                let refused = try await atOnce(proofs).reduce(0, +)
                try expect(refused == 1, "with one try left they refused \(refused) wrong proofs")
            }
        }
        try await clause("two instances at once give a grant each, and the same key", .right) { first in
            let second = try await limit.again(first, .right, context)
            async let one = proof(of: first)
            async let other = proof(of: second)
            let keys = try await [one, other]
            try expect(keys[0] == keys[1], "the keys differ")
        }
    }

    /// Gives this many wrong proofs. Returns how many were refused as wrong; the others were locked out.
    func wrongProofs(_ count: Int, at authenticator: Authenticator) async throws -> Int {
        var refused = 0
        for _ in 0..<count {
            do {
                _ = try await ask(authenticator)
                try await clauses.step(of: Self.wrongProofClause) { throw Broken("it took one") }
            } catch let error as AuthError where error.code == .refused(.wrongInput) {
                refused += 1
            } catch let error as AuthError where error.code == .unlockUnavailable(.lockedOut) {}
        }
        return refused
    }

    func expectLockedOut(_ authenticator: Authenticator) async throws {
        guard case .lockedOut = await authenticator.availability() else {
            throw Broken("it does not say so beforehand")
        }
        try await expectError(
            "unlockUnavailable(.lockedOut)", where: { $0 == .unlockUnavailable(.lockedOut) }
        ) { _ = try await ask(authenticator) }
    }

    private func proof(of authenticator: Authenticator) async throws -> Secret? {
        guard let releasing = authenticator as? any KeyReleasing else {
            _ = try await authenticator.unlock(prompt)
            return nil
        }
        return try await key(of: releasing).key
    }
}
