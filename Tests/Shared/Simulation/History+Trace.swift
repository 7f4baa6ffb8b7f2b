import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// The same abstract steps as the model's in `Tests/Model`, seen at the store, on the wire and at the callers: a history
/// whose trace the protocol does not allow is a violation, whatever came of it.
extension History {
    func note(_ step: LaneEvent.Step, by process: SimulatedProcess?) {
        // What a dead process still tries has no effect. Where a revocation may end other grants, the protocol gives owed
        // ones up when the person is back, which the trace does not tell from forgetting them; and a keyring that keeps
        // what it says it did not is beyond what the trace knows of a store.
        if process?.isKilled == true || scenario.reachesFurther || !scenario.isOnDisk || !dialect.isTraced { return }
        let event = LaneEvent(at: machine.now, process: process?.number, step: step)
        if tells { state.withLock { $0.events.append(event) } }
        guard let violation = trace.withLock({ $0.take(event) }) else { return }
        // What a store that is in trouble does not take, a process that is ending cannot tell the service any more.
        let isEnding = process.map { process in state.withLock { $0.ending == $0.numbers[process.number] } } ?? false
        if violation.rule == .unstored, isEnding, hasStoreBeenInTrouble { return }
        tell("VIOLATION of the lane: \(violation), at \(event)")
        state.withLock { $0.violations.append("lane \(violation)") }
    }

    /// Whether a refresh spends the refresh token.
    var rotates: Bool { [.strict, .sameSuccessor, .newSuccessor].contains(scenario.kind) }

    /// The transport of a process, listened to.
    func wire(of process: SimulatedProcess) -> any HTTPTransport {
        let wire = TracedTransport(inner: network.transport(of: process), history: self, process: process)
        return dialect.transport(over: wire, to: service)
    }
}

/// A store whose credentials are watched.
struct TracedStore<Inner: CrossProcessStore>: CrossProcessStore {
    let inner: Inner
    let history: History
    let process: SimulatedProcess

    func read(_ key: StoreKey) async throws -> StoredRecord? {
        let found = try await inner.read(key)
        if key.kind == .credential {
            let record = found.flatMap { history.record($0.bytes) }?.lane
            history.note(.read(key.name, record, version: found.map { Self.text($0.version) }), by: process)
        }
        return found
    }

    @discardableResult
    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws -> RecordVersion? {
        try await replace(key, at: version, with: bytes) { try await inner.replace(key, at: version, with: bytes) }
    }

    private func replace(
        _ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?, _ put: () async throws -> RecordVersion?
    ) async throws -> RecordVersion? {
        guard key.kind == .credential else { return try await put() }
        let record = bytes.flatMap { history.record($0) }?.lane
        history.note(.write(key.name, record, over: version.map(Self.text)), by: process)
        let stored = try await put()
        history.note(.stored(key.name, record?.write ?? "", version: stored.map(Self.text)), by: process)
        return stored
    }

    func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] { try await inner.keys(kind) }

    func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        let hold = try await inner.lock(key, deadline: deadline)
        guard key.kind == .credential else { return hold }
        history.note(.acquire(key.name), by: process)
        return TracedHold(inner: hold, lane: key.name, history: history, process: process)
    }

    private static func text(_ version: RecordVersion) -> String {
        // Both stores' versions are short, and what they are made of is theirs.
        var text: [UInt8] = []
        text.reserveCapacity(2 * version.bytes.count)
        for byte in version.bytes {
            text.append(0x41 + byte >> 4)
            text.append(0x41 + byte & 0xF)
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension TracedStore: ReservingStore where Inner: ReservingStore {
    func reserve(_ key: StoreKey, bytes: Int) async throws -> (any StoreReservation)? {
        try await inner.reserve(key, bytes: bytes).map { TracedRoom(room: $0, key: key, store: self) }
    }

    private struct TracedRoom: StoreReservation {
        let room: any StoreReservation
        let key: StoreKey
        let store: TracedStore

        func replace(at version: RecordVersion?, with bytes: [UInt8]) async throws -> RecordVersion? {
            try await store.replace(key, at: version, with: bytes) { try await room.replace(at: version, with: bytes) }
        }

        func release() async { await room.release() }
    }
}

extension TracedStore: WatchableStore where Inner: WatchableStore {
    func changes() async throws -> AsyncStream<StoreKey> { try await inner.changes() }
}

private struct TracedHold: HeldLock {
    let inner: any HeldLock
    let lane: String
    let history: History
    let process: SimulatedProcess

    var isHeld: Bool { inner.isHeld }

    func release() async {
        history.note(.release(lane), by: process)
        await inner.release()
    }
}

private struct TracedTransport<Inner: HTTPTransport>: HTTPTransport {
    let inner: Inner
    let history: History
    let process: SimulatedProcess

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let kind: LaneEvent.Request
        switch request.url.split(separator: "/").last {
        case "token": kind = .refresh
        case "verify": kind = .verify
        case "revoke":
            kind = .revoke
            history.checkReach(of: String(decoding: request.body ?? [], as: UTF8.self), by: process)
        case "signin":
            let response = try await inner.send(request, deadline: deadline)
            history.noteContact(String(decoding: request.body ?? [], as: UTF8.self), response, by: process)
            return response
        case "client":
            do {
                let response = try await inner.send(request, deadline: deadline)
                let isClient = response.status == 200 && response.body.starts(with: "client".utf8)
                if !isClient { history.noteFailedLook(by: process) }
                return response
            } catch {
                history.noteFailedLook(by: process)
                throw error
            }
        default: return try await inner.send(request, deadline: deadline)
        }
        let token = String(decoding: request.body ?? [], as: UTF8.self)
        let login = kind == .refresh ? history.checkRest(token, by: process) : nil
        history.note(.send(kind, token), by: process)
        do {
            let response = try await inner.send(request, deadline: deadline)
            if kind != .revoke { history.noteAnswer(token, of: login, response, by: process) }
            history.note(.heard(kind, token, Self.reply(response, kind, rotates: history.rotates)), by: process)
            return response
        } catch {
            if kind != .revoke { history.noteAnswer(token, of: login, nil, by: process) }
            let isUnsent = (error as? TransportError)?.wasSent == false
            history.note(.heard(kind, token, isUnsent ? .unsent : .nothing), by: process)
            throw error
        }
    }

    /// As the provider understands it.
    private static func reply(
        _ response: TransportResponse, _ kind: LaneEvent.Request, rotates: Bool
    ) -> LaneEvent.Reply {
        let text = String(decoding: response.body, as: UTF8.self)
        let words = text.split(separator: " ").map(String.init)
        switch (kind, response.status) {
        case (.revoke, 200) where text.isEmpty: return .done
        case (.refresh, 200) where words.count == 3, (.verify, 200) where words.count == 3:
            return .granted(token: words[0], access: words[1])
        // Of an answer that disagrees with the session, only the refresh token counts.
        case (.refresh, 200) where words.last == "disagrees", (.verify, 200) where words.last == "disagrees":
            return rotates ? .granted(token: words[0], access: "") : .carried(token: words[0])
        case (.refresh, 500) where words.count == 3, (.verify, 500) where words.count == 3:
            return .carried(token: words[0])
        case (.refresh, 400) where text == "invalid_grant", (.verify, 400) where text == "invalid_grant":
            return .refused
        // Nothing was issued: it is as if the request had not left.
        case (.refresh, 400) where text == "invalid_request", (.verify, 400) where text == "invalid_request":
            return .unsent
        default: return .nothing
        }
    }
}
