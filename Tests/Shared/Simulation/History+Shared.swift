import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// What the store holds where several people share a credential, as if each had a record: the laws are about people.
extension History {
    /// A record was committed: what it says of each person.
    func seeShared(_ key: StoreKey, _ bytes: [UInt8]?) {
        guard key.kind == .credential else { return }
        let record = bytes.flatMap { self.record($0) }?.whole
        if bytes != nil, record == nil { violate(15, "the record \(key.name) cannot be read") }
        let before = state.withLock { state in
            let before = state.shared
            state.shared[key.name] = record
            return before
        }
        for person in Self.people {
            let (former, now) = (part(of: person, in: before), part(of: person, in: state.withLock { $0.shared }))
            guard former != nil || now != nil else { continue }
            see(now, of: person)
        }
    }

    /// What the records say of `person`.
    private func part(of person: String, in records: [String: CredentialRecord]) -> CredentialRecord? {
        let account = account(person)
        let own = records[account.value]
        let all = records.filter { name, _ in
            name == account.value || !Self.people.contains { self.account($0).value == name }
        }
        // For a moment somebody may be in two: the one that they come from gives way.
        let former = state.withLock { $0.records[person]?.login }
        let live = all.values.filter { $0.login(of: account) != nil }
        let present = live.first { $0.login(of: account) == former } ?? live.first
        guard var part = present ?? own ?? all.values.first else { return nil }
        let login = part.login(of: account)
        if let leaving = login.flatMap(part.leaving) { part.live?.credential = leaving } else { part.live = nil }
        part.ended = all.values.flatMap(\.ended)
        part.pending = all.values.flatMap(\.pending).filter {
            $0.credential.sessions.contains { $0.account == account }
        }
        // Nobody is signed in: by whom the last one was.
        part.login = login ?? state.withLock { $0.records[person]?.login } ?? part.login
        return part
    }

    /// What is on the disk for good holds these sessions.
    func noteDurableSessions() {
        for (name, record) in state.withLock({ $0.shared }) {
            if scenario.isOnDisk {
                guard let path = state.withLock({ $0.keyOfPath.first { $0.value == name }?.key }),
                    let durable = try? disk.durable(path), (try? disk.content(path)) == durable
                else { continue }
            }
            let sessions = record.credential?.sessions.map(\.id.value) ?? []
            state.withLock { $0.durable.formUnion(sessions) }
        }
    }

    /// After a power loss.
    func seeSharedAnew() {
        for (path, name) in state.withLock({ $0.keyOfPath }) {
            let bytes = try? disk.content(path)
            let end = bytes?.firstIndex(of: 0x0A)
            let record = end.flatMap { end in bytes.flatMap { self.record(Array($0[(end + 1)...])) } }?.whole
            if let bytes, record == nil { violate(2, "\(bytes.count) bytes of a torn record survived at \(path)") }
            state.withLock { $0.shared[name] = record }
        }
        for person in Self.people {
            let record = part(of: person, in: state.withLock { $0.shared })
            state.withLock { state in
                state.records[person] = record
                state.ended = Set(state.records.values.flatMap { $0.ended.map(\.login) })
            }
            if let record, let refresh = secret(of: record), let family = service.family(ofRefreshToken: refresh) {
                state.withLock { $0.families[record.login] = family }
            }
        }
    }

    /// The same for each record, where somebody may be in two for a moment, and for what is owed: it is told with a token
    /// that others' calls replace.
    func noteSharedLosses() {
        let records = state.withLock { $0.shared.values }
        for credential in records.compactMap(\.credential) + records.flatMap(\.pending).map(\.credential) {
            let token = credential.refreshToken?.revealText() ?? ""
            for session in credential.sessions {
                guard let family = service.family(ofRefreshToken: "\(token) \(session.id.value)"),
                    service.isBehind(token, of: family)
                else { continue }
                network.noteLoss(family)
            }
        }
    }
}
