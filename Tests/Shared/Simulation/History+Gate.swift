import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// Law 12, against a gate that is kept beside the real one: what must be locked by the policy, whatever the gate says.
extension History {
    /// What is known of a process's gate.
    struct SeenGate {
        /// The last proof that was given to it.
        var proof: MonotonicInstant?
        /// When a call was over that sent the app to the background, until one begins that brings it back.
        var away: MonotonicInstant?
        /// When it was told to lock, to the end of that call, until somebody begins to open it; or when it was seen
        /// that the policy had locked it.
        var locked: MonotonicInstant?
        /// What was told last.
        var toldLocked: Bool
        var toldAt: MonotonicInstant
    }

    /// When the gate of `running` was surely locked, as far as can be said without asking it; `nil`: it may be open.
    func lockedAt(_ running: Running) -> MonotonicInstant? {
        guard let gate = running.gate else { return nil }
        let (policy, now) = (scenario.gate.policy, machine.now)
        return state.withLock { state -> MonotonicInstant? in
            guard let seen = state.gates[running.number] else { return nil }
            if let locked = seen.locked { return locked }
            var ends: [MonotonicInstant] = []
            if let interval = policy.interval {
                // Elsewhere given, it counts here too where proofs are remembered.
                let proof = scenario.gate == .remembered ? state.proofs.last : seen.proof
                guard let proof else { return gate.promptCount == 0 ? .some(running.began) : nil }
                ends.append(proof + interval)
            }
            if let away = seen.away, let limit = policy.afterBackground {
                ends.append(max(away, seen.proof ?? away) + limit)
            }
            return ends.filter { $0 <= now }.min()
        }
    }

    /// Somebody gave a proof.
    func notePerson(_ number: Int, provedAt instant: MonotonicInstant) {
        state.withLock { state in
            state.proofs.append(instant)
            state.gates[number]?.proof = instant
            state.gates[number]?.locked = nil
        }
    }

    /// The gate said what it is.
    func noteGate(_ number: Int, isLocked: Bool) {
        state.withLock { state in
            state.gates[number]?.toldLocked = isLocked
            state.gates[number]?.toldAt = machine.now
        }
    }

    /// When nothing is under way and nothing is due: what was told of each gate is what it is.
    func checkGates() {
        guard scenario.gate != .none, !machine.isDue else { return }
        for running in running where !running.process.isKilled {
            guard let seen = state.withLock({ $0.gates[running.number] }) else { continue }
            let isLocked = running.client.isLocked
            if seen.toldLocked != isLocked {
                violate(12, "process \(running.number) is \(isLocked ? "locked" : "open"), and nobody was told")
            }
            if running.client.isShielded != isLocked, seen.away == nil, scenario.gate.policy.shields,
                state.withLock({ !$0.calls.values.contains { $0.process == running.number } })
            {
                violate(12, "process \(running.number) is \(isLocked ? "" : "not ")locked, and covered otherwise")
            }
            guard isLocked, let isOpen = running.isStoreOpen?(), isOpen,
                machine.now - seen.toldAt > .seconds(90), running.gate?.isAsked == false
            else { continue }
            violate(12, "process \(running.number) has been locked for long, and its store is open")
        }
    }

    /// Unlocks, as a person does who wants something.
    func open(_ running: Running) async {
        guard running.gate != nil, running.client.isLocked else { return }
        try? await unlock(running)
    }

    func unlock(_ running: Running) async throws {
        state.withLock { state in
            state.gates[running.number]?.locked = nil
            state.unlocks[running.number, default: 0] += 1
            state.opening[running.number, default: 0] += 1
        }
        defer { state.withLock { $0.opening[running.number, default: 0] -= 1 } }
        try await running.client.unlock()
        // A call that closed it meanwhile may have been noted later.
        if !running.client.isLocked { state.withLock { $0.gates[running.number]?.locked = nil } }
    }

    /// A call that locks is over.
    func noteLocked(_ running: Running) {
        guard running.gate != nil, running.client.isLocked else { return }
        state.withLock { state in
            // Somebody who opens it already may have done so by the time that this is noted.
            guard state.opening[running.number, default: 0] == 0 else { return }
            state.gates[running.number]?.locked = machine.now
        }
    }

    /// The app is out of sight: a call that says so is over.
    func noteGone(_ running: Running) {
        state.withLock { state in
            // Another call that brings it back may be under way.
            let others = state.calls.values.filter { $0.call == .background && $0.process == running.number }
            guard others.count <= 1, state.gates[running.number]?.away == nil else { return }
            state.gates[running.number]?.away = machine.now
        }
    }

    /// The app comes back: a call begins that says so.
    func noteBack(_ running: Running) {
        // What the policy has locked by now stays so. A gate that has only waited for a proof opens by one that is given
        // elsewhere, where proofs are remembered.
        let waits = scenario.gate == .remembered && state.withLock { $0.proofs.isEmpty }
        let locked = waits ? nil : lockedAt(running)
        state.withLock { state in
            state.gates[running.number]?.away = nil
            if state.opening[running.number, default: 0] == 0 { state.gates[running.number]?.locked = locked }
        }
    }
}
