import Latchkey
import LatchkeyFileStore
import LatchkeyLocked
import LatchkeyTesting

@testable import LatchkeySimulation

/// Writes a trace: what processes do with their store and their network, seen from outside of them.
final class LaneRecorder: Sendable {
    private struct State {
        var trace: LaneTrace
        var violation: LaneTrace.Violation?
        /// The last events, for who has to understand the violation.
        var events: [LaneEvent] = []
        var calls = 0
    }

    private static let memory = 4_000
    private let machine: SimulatedMachine
    private let state: Locked<State>

    /// A trace that begins on `machine` now.
    init(_ machine: SimulatedMachine, _ replay: ProviderRules.ReplayRule) {
        self.machine = machine
        state = Locked(State(trace: LaneTrace(replay)))
        note(nil, .boot(machine.boot))
    }

    /// The first event that the protocol does not allow.
    var violation: LaneTrace.Violation? { state.withLock { $0.violation } }

    /// The trace up to the violation, or to now; the oldest events may be missing.
    var events: [LaneEvent] { state.withLock { $0.events } }

    /// Adds a step of `process`; after the first violation nothing is looked at any more.
    func note(_ process: Int?, _ step: LaneEvent.Step) {
        let event = LaneEvent(at: machine.now, process: process, step: step)
        state.withLock { state in
            guard state.violation == nil, step != .quiet || state.events.last?.step != .quiet else { return }
            if state.events.count == Self.memory { state.events.removeFirst(Self.memory / 2) }
            state.events.append(event)
            state.violation = state.trace.take(event)
        }
    }

    /// A caller of `process` asks for a token: the name of its call, for ``note(_:_:)`` of what it gets.
    func ask(_ process: Int) -> Int {
        let call = state.withLock { state in
            state.calls += 1
            return state.calls
        }
        note(process, .ask(call))
        return call
    }

    /// The store of a process that has the number `process`.
    func store(_ inner: FileStore, of number: Int, in process: SimulatedProcess) -> some CrossProcessStore {
        RecordedStore(inner: inner, recorder: self, number: number, process: process)
    }

    /// Its network.
    func transport(
        _ inner: some HTTPTransport, of number: Int, in process: SimulatedProcess
    ) -> some HTTPTransport {
        RecordedWire(inner: inner, recorder: self, number: number, process: process)
    }
}

/// A file store whose every use is noted, until its process is gone.
private struct RecordedStore: CrossProcessStore, WatchableStore {
    let inner: FileStore
    let recorder: LaneRecorder
    let number: Int
    let process: SimulatedProcess

    var laneMayBeLost: Bool { inner.laneMayBeLost }

    func read(_ key: StoreKey) async throws -> StoredRecord? {
        let stored = try inner.read(key)
        note(key) { .read($0, stored.flatMap { LaneRecord($0.bytes) }, version: stored.map(\.version.text)) }
        return stored
    }

    func replace(_ key: StoreKey, at version: Version?, with bytes: [UInt8]?) async throws -> Version? {
        let record = bytes.flatMap { LaneRecord($0) }
        note(key) { .write($0, record, over: version?.text) }
        let stored = try await inner.replace(key, at: version, with: bytes)
        note(key) { .stored($0, record?.write ?? "delete", version: stored?.text) }
        return stored
    }

    func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] { try inner.keys(kind) }

    func changes() -> AsyncStream<StoreKey> { inner.changes() }

    func lane(_ key: StoreKey, sharing: Bool, deadline: Duration) async throws -> any LaneHold {
        let hold = try await inner.lane(key, sharing: sharing, deadline: deadline)
        note(key) { .acquire($0) }
        return RecordedHold(inner: hold, willRelease: { note(key) { .release($0) } })
    }

    private func note(_ key: StoreKey, _ step: (String) -> LaneEvent.Step) {
        guard key.kind == .credential, !process.isKilled else { return }
        // The account's name ends it; what comes before is the same for all.
        recorder.note(number, step(key.name.split(separator: " ").last.map(String.init) ?? key.name))
    }
}

private struct RecordedHold: LaneHold {
    let inner: any LaneHold
    let willRelease: @Sendable () -> Void

    func release() async {
        willRelease()
        await inner.release()
    }
}

/// A network whose requests are noted, as the simulated provider understands them.
private struct RecordedWire<Inner: HTTPTransport>: HTTPTransport {
    let inner: Inner
    let recorder: LaneRecorder
    let number: Int
    let process: SimulatedProcess

    func send(_ request: HTTPRequest, deadline: Duration) async throws -> HTTPResponse {
        let token = request.body.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let kind: LaneEvent.Request
        switch request.url.split(separator: "/").last {
        case "token": kind = .refresh
        case "revoke": kind = .revoke
        default: return try await inner.send(request, deadline: deadline)
        }
        note(.send(kind, token))
        do {
            let response = try await inner.send(request, deadline: deadline)
            note(.heard(kind, token, LaneEvent.Reply(response, to: kind)))
            note(.over(token))
            return response
        } catch {
            let isUnsent = (error as? TransportError)?.wasSent == false
            note(.heard(kind, token, isUnsent ? .unsent : .nothing))
            // The simulated network delivers before the deadline, or never.
            if (error as? TransportError)?.code == .timedOut { note(.over(token)) }
            throw error
        }
    }

    private func note(_ step: LaneEvent.Step) {
        guard !process.isKilled else { return }
        recorder.note(number, step)
    }
}

extension LaneEvent.Reply {
    fileprivate init(_ response: HTTPResponse, to kind: LaneEvent.Request) {
        let text = String(decoding: response.body, as: UTF8.self)
        let words = text.split(separator: " ").map(String.init)
        switch (response.status, kind) {
        case (200, .revoke) where response.body.isEmpty: self = .done
        case (200, .refresh) where words.count == 3: self = .granted(token: words[0], access: words[1])
        case (400, .refresh) where text == "invalid_grant": self = .refused
        default: self = .nothing
        }
    }
}

extension Version {
    /// The file store's are letters and digits.
    fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}
