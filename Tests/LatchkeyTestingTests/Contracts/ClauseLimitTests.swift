import Latchkey
import LatchkeyTesting
import Testing

/// Waits for ever, and does not hear that its task was cancelled.
func hang() async { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }

@Suite("Time limits of contracts, and what a violation names", .timeLimit(.minutes(1)))
struct ClauseLimitTests {
    static let limit = Duration.milliseconds(300)

    @Test("a store that hangs fails by the clause in which it hangs", arguments: HangingStore.Place.allCases)
    func store(place: HangingStore.Place) async throws {
        let violation = await #expect(throws: ContractViolation.self) {
            try await StoreContract(timeLimit: Self.limit) { HangingStore(place, $0) }.run()
        }
        #expect(violation?.clause == place.clause)
        #expect(violation?.detail.contains("did not end within") == true)
    }

    @Test("a lock that hangs fails by the clause in which it hangs") func lock() async throws {
        let violation = await #expect(throws: ContractViolation.self) {
            try await CrossProcessStoreContract(timeLimit: .seconds(2)) { context in
                let store = HangingStore(.lock, context)
                return (store, store)
            }.run()
        }
        #expect(violation?.clause == "a lock excludes everyone else, busy at the deadline")
    }

    @Test("an unlock that does not hear of cancelling fails by that clause") func unlock() async throws {
        let violation = await #expect(throws: ContractViolation.self) {
            try await UnlockContract(timeLimit: Self.limit) { situation, _ in
                situation == .unanswered ? HangingUnlock() : nil
            }.run()
        }
        #expect(violation?.clause == "cancelling the task ends the prompt with CancellationError")
    }

    @Test("a provider that hangs fails by the clause in which it hangs") func provider() async throws {
        let password = SignInRequest.signIn(.password(identifier: "ada", Secret("correct horse battery")))
        let violation = await #expect(throws: ContractViolation.self) {
            try await ProviderContract([.init(password)], timeLimit: Self.limit) {
                let context = ProviderContext(world: .testing(), transport: HangingService(), cache: KeepingCache())
                return .init(SmallProvider(fault: nil), in: context)
            }.run()
        }
        #expect(violation?.clause == "signing in comes to a grant with a current session of this configuration")
    }

    @Test("a contract that is cancelled ends") func cancelled() async throws {
        let reached = Latch()
        let task = Task {
            try await StoreContract { context in
                reached.open()
                try await Latch().wait()
                return MemoryStore(context: context)
            }.run()
        }
        try await reached.wait()
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
    }

    @Test("who cannot sign in has broken that clause, whatever was looked at on the way") func signingIn() async throws
    {
        let unknown = SignInRequest.signIn(.anonymous)
        let violation = await #expect(throws: ContractViolation.self) {
            try await ProviderContract([.init(unknown)]) {
                let context = ProviderContext(world: .testing(), transport: SmallService(), cache: KeepingCache())
                return .init(SmallProvider(fault: nil), in: context)
            }.run()
        }
        #expect(violation?.clause == "signing in comes to a grant with a current session of this configuration")
    }

    @Test("what the author's closures throw breaks no clause of the table") func given() async throws {
        let full = AuthError(.store(.full), "the folder could not be made")
        let store = await #expect(throws: ContractViolation.self) {
            try await StoreContract { _ -> MemoryStore in throw full }.run()
        }
        #expect(store?.clause == ContractViolation.given)
        let provider = await #expect(throws: ContractViolation.self) {
            try await ProviderContract([]) { () -> ProviderContract<SmallProvider>.Setting in throw full }.run()
        }
        #expect(provider?.clause == ContractViolation.given)
        let unlock = await #expect(throws: ContractViolation.self) {
            try await UnlockContract { _, _ -> HangingUnlock? in throw full }.run()
        }
        #expect(unlock?.clause == ContractViolation.given)
        #expect(unlock?.detail.contains("what makes an authenticator") == true)
    }
}

/// A store of the memory that hangs at one call.
struct HangingStore: CrossProcessStore {
    enum Place: String, CaseIterable, Sendable {
        case read, keys, kinds, lock

        static var allCases: [Place] { [.read, .keys, .kinds] }

        var clause: String {
            switch self {
            case .read: "an absent key reads as nil"
            case .keys: "keys lists what is there, and only that"
            case .kinds: "other keys are never touched"
            case .lock: "a lock excludes everyone else, busy at the deadline"
            }
        }
    }

    private let place: Place
    private let inner: MemoryStore

    init(_ place: Place, _ context: PluginContext) {
        self.place = place
        inner = MemoryStore(context: context)
    }

    func read(_ key: StoreKey) async throws -> StoredRecord? {
        if place == .read { await hang() }
        return try inner.read(key)
    }

    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws -> RecordVersion? {
        if place == .kinds, key.kind == .settings { await hang() }
        return try inner.replace(key, at: version, with: bytes)
    }

    func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] {
        if place == .keys { await hang() }
        return inner.keys(kind)
    }

    func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        if place == .lock { await hang() }
        return try await inner.lock(key, deadline: deadline)
    }
}

/// Asks, and does not hear of anything any more.
private struct HangingUnlock: UnlockAuthenticator {
    func availability() -> UnlockAvailability { .available }

    func unlock(_ prompt: UnlockPrompt) async throws -> UnlockGrant {
        await hang()
        throw CancellationError()
    }
}

/// Never answers, and does not hear of cancelling.
private struct HangingService: HTTPTransport {
    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        await hang()
        throw CancellationError()
    }
}
