import Latchkey

extension UnlockContract {
    /// What may not change the count of wrong proofs, and what may not make it forgotten.
    func counted(_ limit: Limit) async throws {
        try await clause("a no and a cancelled prompt neither count as a try nor reset the count", .wrong) { first in
            _ = try await wrongProofs(limit.tries - 1, at: first)
            let declining = try await limit.again(first, .declined, context)
            let said = try await code(of: declining)
            try expect(said == .declined, "the no was told as \(said?.name ?? "a grant"), with one try left")
            let waiting = try await limit.again(first, .unanswered, context)
            try await expectCancellation { _ = try await ask(waiting) }
            try await expectOneTryLeft(first)
        }
        try await clause("asking whether it is available changes nothing", .wrong) { first in
            _ = try await wrongProofs(limit.tries - 1, at: first)
            for each in [first, try await limit.again(first, .wrong, context)] {
                for _ in 1...3 { try expect(await each.availability() == .available, "it says that it cannot ask") }
            }
            try await expectOneTryLeft(first)
        }
        try await jumping(limit)
        try await written(limit)
    }

    private func jumping(_ limit: Limit) async throws {
        let years = 10 * 365.25 * 86_400
        let jumps: [(String, @Sendable (JumpingClock) -> Void)] = [
            ("ten years later", { $0.setWall(aheadBy: years) }), ("ten years earlier", { $0.setWall(aheadBy: -years) }),
            ("after a restart of the machine", { $0.restart() }),
        ]
        for (when, jump) in jumps {
            let clock = JumpingClock(context.clock)
            var other = context
            other.clock = clock
            let jumping = other
            try await clause(
                "a lock-out outlasts a clock that jumps and a restart of the machine", .wrong, over: jumping
            ) { first in
                _ = try await wrongProofs(limit.tries, at: first)
                jump(clock)
                for each in [first, try await limit.again(first, .right, jumping)] {
                    guard case .lockedOut = await each.availability() else {
                        throw Broken("\(when) it does not say that it is locked out")
                    }
                    let said = try await code(of: each)
                    try expect(
                        said == .unlockUnavailable(.lockedOut), "\(when) it gave \(said?.name ?? "a grant")")
                }
            }
        }
    }

    private func written(_ limit: Limit) async throws {
        let trouble = DiskTrouble()
        let watched = context.on(trouble)
        try await clause("wrong proofs are counted where the next process finds them", .wrong, over: watched) { first in
            // What keeps nothing in files counts elsewhere.
            guard limit.isInFiles, trouble.changes > 0 else { return }
            let before = trouble.changes
            _ = try await wrongProofs(1, at: first)
            try expect(trouble.changes > before, "nothing on the disk has changed after a wrong proof")
        }
    }

    /// Throws unless one more wrong proof is refused, and locks the person out.
    func expectOneTryLeft(_ authenticator: Authenticator) async throws {
        let refused = try await wrongProofs(1, at: authenticator)
        try expect(refused == 1, "no try was left")
        guard case .lockedOut = await authenticator.availability() else { throw Broken("more than one try was left") }
        let said = try await code(of: authenticator)
        try expect(said == .unlockUnavailable(.lockedOut), "more than one try was left")
    }
}

extension PluginContext {
    /// The same on a disk that this may trouble.
    func on(_ trouble: DiskTrouble) -> PluginContext {
        var context = self
        context.files = TroubledFiles(files, trouble)
        return context
    }
}
