import Latchkey

extension UnlockContract {
    /// What a disk that fails, or a damaged file, may not lead to.
    func troubled() async throws {
        if let limit {
            try await full(limit)
            try await held()
        }
        try await damaged()
        try await unreadable()
    }

    private func full(_ limit: Limit) async throws {
        for steps in 0..<4 {
            let trouble = DiskTrouble()
            let disk = context.on(trouble)
            try await clause("no proof is judged that cannot be counted", .wrong, over: disk) { first in
                _ = try await wrongProofs(limit.tries - 1, at: first)
                trouble.fill(after: steps)
                let refused = try await refusedInTrouble(limit.tries + 2, at: first)
                try expect(refused <= 1, "on a full disk \(refused) wrong proofs were told as wrong, with one try left")
                trouble.end()
                guard refused == 1 else { return }
                try await expectLockedOut(try await limit.again(first, .wrong, disk))
            }
        }
    }

    private func held() async throws {
        for situation in [Situation.right, .wrong] {
            let trouble = DiskTrouble()
            var other = context.on(trouble)
            other.clock = JumpingClock(context.clock)
            let disk = other
            let text = "no proof is judged while another process holds the lock"
            try await clause(text, situation, over: disk) { first in
                trouble.holdLocks()
                let before = trouble.locks
                let ended = Latch()
                let asking = Task {
                    defer { ended.open() }
                    return try await code(of: first)
                }
                // Long enough for what gives up waiting: on this clock no time passes but while a task sleeps.
                let begin = PluginContext.system.clock.now()
                while !ended.isOpen, trouble.locks < before + 1_000,
                    PluginContext.system.clock.now() - begin < .seconds(2)
                {
                    try await Task.sleep(for: .milliseconds(1))
                }
                asking.cancel()
                let found = await asking.result
                guard trouble.locks > before, case .success(let said) = found else { return }
                try expect(said != nil, "it gave a grant")
                try expect(said != .refused(.wrongInput), "it told a wrong proof as wrong")
            }
        }
    }

    private func unreadable() async throws {
        let trouble = DiskTrouble()
        let disk = context.on(trouble)
        let text = "what is kept and cannot be read is neither absent nor new"
        try await clause(text, .wrong, over: disk) { first in
            if let limit { _ = try await wrongProofs(limit.tries - 1, at: first) }
            trouble.stopReading()
            let refused = try await expectKept(first, trouble)
            trouble.end()
            guard let limit, trouble.damaged > 0 else { return }
            let later = try await refusedInTrouble(limit.tries, at: first)
            try expect(refused + later <= 1, "\(refused + later) wrong proofs were told as wrong, with one try left")
            try await expectLockedOut(first)
        }
    }

    private func damaged() async throws {
        let text = "what is kept and damaged is neither absent nor new"
        if let damaging {
            try await clause(text, .wrong) { first in
                if let limit { _ = try await wrongProofs(limit.tries - 1, at: first) }
                try await clauses.given("what damages") { try await damaging(first, context) }
                _ = try await expectKept(first, nil)
            }
        }
        let probe = DiskTrouble()
        try await clause(text, .wrong, over: context.on(probe)) { first in
            if let limit { _ = try await wrongProofs(limit.tries - 1, at: first) }
            _ = await first.availability()
        }
        for name in probe.names.prefix(4) {
            for damage in Damage.all {
                let trouble = DiskTrouble()
                try await clause(text, .wrong, over: context.on(trouble)) { first in
                    if let limit { _ = try await wrongProofs(limit.tries - 1, at: first) }
                    trouble.damage(name, damage)
                    do { _ = try await expectKept(first, trouble) } catch let broken as Broken {
                        throw Broken("with \(name) \(damage.words): \(broken.detail)")
                    }
                }
            }
        }
    }

    /// Throws if the authenticator takes what it keeps for absent, or its count for lower than it was.
    ///
    /// - Returns: How many wrong proofs were told as wrong.
    private func expectKept(_ authenticator: Authenticator, _ trouble: DiskTrouble?) async throws -> Int {
        let before = await authenticator.availability()
        // A damage that is not seen is none: the file is read no more, or has no such member.
        if let trouble, trouble.damaged == 0 { return 0 }
        try expect(before != .notEnrolled, "it says that nothing is set up")
        // Errors of the disk and of a format may come as they are.
        let said: AuthError.Code?
        do { said = try await code(of: authenticator) } catch { said = .store(.damaged) }
        if before == .available, case .unlockUnavailable? = said { throw Broken("it does not say so beforehand") }
        try expect(said != .unlockUnavailable(.notEnrolled), "it throws that nothing is set up")
        try expect(said != nil, "a wrong proof was right")
        var refused = said == .refused(.wrongInput) ? 1 : 0
        if let limit { refused += try await refusedInTrouble(limit.tries, at: authenticator) }
        if limit != nil { try expect(refused <= 1, "\(refused) wrong proofs were told as wrong, with one try left") }
        try expect(await authenticator.availability() != .notEnrolled, "it says afterwards that nothing is set up")
        return refused
    }

    /// Gives this many wrong proofs to an authenticator that may throw what it likes, but may not grant. Returns how many
    /// were told as wrong.
    private func refusedInTrouble(_ count: Int, at authenticator: Authenticator) async throws -> Int {
        var refused = 0
        for _ in 0..<count {
            do {
                _ = try await ask(authenticator)
            } catch let error as AuthError {
                if error.code == .refused(.wrongInput) { refused += 1 }
                try expect(error.code != .unlockUnavailable(.notEnrolled), "it throws that nothing is set up")
                continue
            } catch { continue }
            throw Broken("a wrong proof was right")
        }
        return refused
    }
}
