import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// Law 24: once a store is back, what happened meanwhile is seen by every process that follows it.
extension History {
    /// All has been well for this moment: five seconds later, what a process shows is what the store says.
    func checkFollowed() {
        guard scenario.gate == .none, scenario.kind != .shares, violations.isEmpty else { return }
        let begun = machine.elapsed
        proceed(to: machine.now + .seconds(5))
        for running in running where state.withLock({ $0.following.contains(running.number) }) {
            // What a call is about may not be stored yet.
            guard !running.process.isKilled, running.client.hasReadStore,
                !state.withLock({ $0.calls.contains { $0.value.process == running.number } })
            else { continue }
            for person in Self.people { checkFollowed(person, running, since: begun) }
        }
    }

    private func checkFollowed(_ person: String, _ running: Running, since begun: Duration) {
        let (record, changed, isLeaving) = state.withLock {
            ($0.records[person], $0.changed[person], $0.leaving.contains(person))
        }
        guard let changed, changed < begun else { return }
        count("followed")
        if record?.credential == nil {
            guard let token = running.client.currentToken(of: account(person)), token.isDurable else { return }
            violate(24, "process \(running.number) hands out a token of \(person), who is signed out in the store")
        } else if !isLeaving, !state.withLock({ $0.naming.contains(running.number) }),
            !running.client.knownAccounts.contains(where: { $0.id == account(person) })
        {
            violate(24, "\(person) is in the store, and process \(running.number) does not show them")
        }
    }
}
