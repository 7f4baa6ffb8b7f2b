import LatchkeyFileStore
import LatchkeyLocked
import LatchkeyTesting

@testable import Latchkey

/// What the disk and the service say, against what callers were told.
extension History {
    struct StoredLogin {
        var login: String
        var refresh: String
        var family: Int
    }

    /// The record of a person as any new process would read it.
    func record(_ person: String) -> CredentialRecord? {
        let process = SimulatedFiles(on: disk)
        let context = PluginContext(
            clock: ManualClock(), random: { Array(repeating: 0, count: $0) }, files: process, start: { _, _ in })
        let store = FileStore(unencryptedAt: Self.directory, context: context)
        guard let found = try? store.read(StoreKey(.credential, account(person).value)) else { return nil }
        return try? CredentialRecord(found.bytes)
    }

    func stored(_ person: String) -> StoredLogin? {
        guard let record = record(person), let refresh = record.credential?.renewal?.revealText(),
            let family = service.family(ofRefreshToken: refresh)
        else { return nil }
        return StoredLogin(login: record.login, refresh: refresh, family: family)
    }

    /// Remembers every access token that was ever in the store.
    func lookAtDisk() {
        guard disk.steps != state.withLock({ $0.pending }) else { return }
        let steps = disk.steps
        var tokens: [String] = []
        for person in Self.people {
            if let stored = stored(person) { state.withLock { $0.families[stored.login] = stored.family } }
            for session in record(person)?.credential?.sessions ?? [] {
                tokens += session.tokens.values.map { $0.value.revealText() }
            }
        }
        state.withLock { state in
            state.pending = steps
            state.stored.formUnion(tokens)
        }
    }

    /// A process ended: what the service did for it and the store does not hold is lost.
    func noteLosses() {
        for person in Self.people {
            guard let stored = stored(person), service.families[stored.family].current != stored.refresh else {
                continue
            }
            network.noteLoss(stored.family)
        }
    }

    /// A token reached a caller.
    func check(_ token: AccessToken, of running: Running, since begun: Duration) {
        guard !running.process.isKilled else { return }
        lookAtDisk()
        let text = token.value.revealText()
        guard let truth = service.access(text) else { return violate(15, "\(text) is no token of the service") }
        if token.isDurable, !state.withLock({ $0.stored.contains(text) }) {
            violate(2, "\(text) was handed out as durable, and was never stored")
        }
        if let ended = state.withLock({ $0.signedOut[truth.family] }), truth.minted > ended {
            violate(5, "\(text) was made after the sign-out of its login, and handed out")
        }
        if let ended = state.withLock({ $0.signedOut[truth.family] }), begun > ended, running.started > ended {
            violate(5, "\(text) of a login that was signed out was handed out by a process that began later")
        }
        checkCurrent(running)
    }

    /// Law 13: what a client would hand out at this moment has not ended.
    func checkCurrent(_ running: Running) {
        for person in Self.people {
            guard let token = running.client.currentToken(of: account(person)),
                let truth = service.access(token.value.revealText()), machine.elapsed > truth.ends + .seconds(12)
            else { continue }
            violate(13, "\(token.value.revealText()) has ended and would be handed out as good")
        }
    }

    /// When all is quiet: no login is lost that the rules allow to keep, and none is alive that was signed out.
    func finalCheck() {
        for person in Self.people {
            if let stored = stored(person) {
                let family = service.families[stored.family]
                if state.withLock({ $0.signedOut[stored.family] != nil }) {
                    violate(5, "the store holds \(stored.refresh) of a login that was signed out")
                }
                if !service.takes(stored.refresh), family.death != .elsewhere, !network.isLossy(stored.family) {
                    violate(6, "the store holds \(stored.refresh), which the service does not take; nothing was lost")
                }
            } else if let record = record(person), let last = record.ended.last, last.login == record.login {
                checkEnd(last, person)
            }
        }
        for (number, family) in service.families.enumerated() where family.isKnown && family.death == nil {
            let isKept = Self.people.contains { stored($0)?.family == number }
            if !isKept, !network.isLossy(number), state.withLock({ $0.signedOut[number] != nil }) {
                violate(5, "family \(number) of \(family.subject) is signed out and alive at the service")
            }
        }
    }

    private func checkEnd(_ ending: CredentialRecord.Ended, _ person: String) {
        guard ending.cause == .interrupted || ending.cause == .revoked else { return }
        guard let number = state.withLock({ $0.families[ending.login] }) else { return }
        let family = service.families[number]
        if family.death == nil, !network.isLossy(number) {
            violate(3, "the login of \(person) ended as \(ending.cause), and family \(number) is alive")
        }
        if family.death == .reuse, !network.isLossy(number) {
            violate(1, "family \(number) of \(person) died of a reuse, and nothing was lost")
        }
    }
}
