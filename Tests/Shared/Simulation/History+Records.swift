import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting

/// What the store holds, seen from outside at each commit, and the laws that one commit after another must keep.
extension History {
    /// What stored bytes say, which are looked at by many; `nil` for bytes that are no credential's record.
    func record(_ bytes: [UInt8]) -> SeenRecord? {
        if let known = state.withLock({ $0.seen[SeenBytes(bytes: bytes)] }) { return known }
        guard let whole = try? CredentialRecord(bytes) else { return nil }
        let record = SeenRecord(whole: whole, lane: LaneRecord(whole))
        state.withLock { $0.seen[SeenBytes(bytes: bytes)] = record }
        return record
    }

    /// Something changed on the disk.
    func see(_ operation: SimulatedDisk.Operation, _ path: String) {
        if operation == .syncDirectory { return noteDurable() }
        guard path.hasSuffix(".record"), path.hasPrefix("\(Self.directory)/credential-") else { return }
        guard let bytes = try? disk.content(path) else {
            guard let name = state.withLock({ $0.keyOfPath[path] }) else { return }
            return see(StoreKey(.credential, name), nil)
        }
        guard let end = bytes.firstIndex(of: 0x0A) else { return }
        var name = state.withLock { $0.keyOfPath[path] }
        if name == nil {
            name = (try? JSON.parse(Array(bytes[..<end])))?["name"]?.string
            state.withLock { $0.keyOfPath[path] = name }
        }
        guard let name else { return }
        see(StoreKey(.credential, name), Array(bytes[(end + 1)...]))
    }

    /// A record was committed.
    func see(_ key: StoreKey, _ bytes: [UInt8]?) {
        if scenario.kind == .shares { return seeShared(key, bytes) }
        guard key.kind == .credential, let person = Self.people.first(where: { account($0).value == key.name }) else {
            return
        }
        let record = bytes.flatMap { self.record($0) }?.whole
        if bytes != nil, record == nil { violate(15, "the record of \(person) cannot be read") }
        see(record, of: person)
    }

    /// The service's name for what keeps whoever the record is of signed in.
    func secret(of record: CredentialRecord) -> String? {
        guard let credential = record.credential, let token = credential.refreshToken?.revealText() else { return nil }
        return scenario.kind == .shares ? "\(token) \(credential.sessions[0].id.value)" : token
    }

    /// The record of the person was committed.
    func see(_ record: CredentialRecord?, of person: String) {
        let former = state.withLock { state in
            let former = state.records[person]
            state.records[person] = record
            state.changed[person] = machine.elapsed
            if record?.credential != nil {
                state.vacant[person] = nil
            } else if former?.credential != nil {
                // A sign-in that is under way may have been before it.
                let entered = state.isEntering ? -1 : state.entering[person, default: 0]
                state.vacant[person] = (machine.elapsed, entered)
            }
            return former
        }
        if let record, let refresh = secret(of: record), let family = service.family(ofRefreshToken: refresh) {
            let now = machine.elapsed
            state.withLock { state in
                state.families[record.login] = family
                if state.entered[family] == nil { state.entered[family] = now }
            }
        }
        if !scenario.isOnDisk { noteDurable() }
        tell("    store: \(person) \(record.map(Self.words) ?? "nothing")")
        check(former, then: record, person)
        checkKept(former, then: record, of: person)
    }

    private static func words(_ record: CredentialRecord) -> String {
        let ended = record.ended.last.map { ", \($0.login.prefix(4)) ended as \($0.cause)" } ?? ""
        return "login \(record.login.prefix(4)) \(record.credential?.refreshToken?.revealText() ?? "gone")"
            + "\(record.mark == nil ? "" : ", marked")\(ended), pending \(record.pending.count)"
    }

    /// Laws 3, 4 and 5, commit by commit.
    private func check(_ former: CredentialRecord?, then record: CredentialRecord?, _ person: String) {
        for ending in record?.ended ?? [] { state.withLock { _ = $0.ended.insert(ending.login) } }
        if let record, record.credential != nil, state.withLock({ $0.ended.contains(record.login) }) {
            violate(5, "the login \(record.login.prefix(4)) of \(person) ended, and is in the store again")
        }
        guard let former, let secret = secret(of: former),
            record?.credential == nil || record?.login != former.login
        else { return }
        guard let ending = record?.ending(of: former.login) else {
            return violate(4, "the session of \(person) is gone from the store, and nothing says why")
        }
        switch ending.cause {
        case .revoked, .interrupted, .expired, .banned:
            if !service.hasRefused(secret) {
                violate(3, "the session of \(person) ended as \(ending.cause), and \(secret) was never refused")
            }
        case .signedOut:
            // A sign-in that waited to be stored may come in after the one in its place, and goes at once.
            if !state.withLock({ $0.leaving.contains(person) || $0.entering[person, default: 0] > 1 }) {
                violate(4, "\(person) was signed out, and nobody asked for it")
            }
        case .replaced, .other: break
        }
    }

    /// What is on the disk for good holds these tokens.
    func noteDurable() {
        if scenario.kind == .shares { return noteDurableSessions() }
        for person in Self.people {
            guard let record = state.withLock({ $0.records[person] }) else { continue }
            if scenario.isOnDisk {
                guard let path = state.withLock({ $0.keyOfPath.first { $0.value == account(person).value }?.key }),
                    let durable = try? disk.durable(path), (try? disk.content(path)) == durable
                else { continue }
            }
            let tokens = record.credential?.sessions.flatMap { $0.tokens.values.map { $0.value.revealText() } } ?? []
            state.withLock { $0.durable.formUnion(tokens) }
        }
    }

    /// After a power loss: what was not flushed may be as it was before.
    func seeAnew() {
        if scenario.kind == .shares { return seeSharedAnew() }
        for (path, name) in state.withLock({ $0.keyOfPath }) {
            guard let person = Self.people.first(where: { account($0).value == name }) else { continue }
            let bytes = try? disk.content(path)
            let end = bytes?.firstIndex(of: 0x0A)
            let record = end.flatMap { end in bytes.flatMap { self.record(Array($0[(end + 1)...])) } }?.whole
            if let bytes, record == nil { violate(2, "\(bytes.count) bytes of a torn record survived at \(path)") }
            state.withLock { state in
                state.records[person] = record
                // What was not flushed has not happened.
                state.ended = Set(state.records.values.flatMap { $0.ended.map(\.login) })
            }
            if let record, let refresh = record.credential?.refreshToken?.revealText(),
                let family = service.family(ofRefreshToken: refresh)
            {
                state.withLock { $0.families[record.login] = family }
            }
        }
    }

    /// A process ended: what the service did for it and the store does not hold is lost.
    func noteLosses() {
        for (_, record) in state.withLock({ $0.records }) {
            guard let refresh = secret(of: record), let family = service.family(ofRefreshToken: refresh),
                service.isBehind(String(refresh.prefix { $0 != " " }), of: family)
            else { continue }
            network.noteLoss(family)
        }
        if scenario.kind == .shares { noteSharedLosses() }
    }
}
