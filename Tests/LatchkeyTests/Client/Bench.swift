import Latchkey
import LatchkeyTesting
import Testing

/// A scripted service, a clock that stands still, one store, and any number of clients over them: each is a process.
struct Bench {
    let clock = ManualClock()
    let service: ScriptedProvider
    let store: FaultyStore<MemoryStore>
    let observer = RecordingObserver()

    init(rules: ProviderRules = .scripted(), tokenLifetime: Duration = .seconds(3_600)) {
        service = ScriptedProvider(rules: rules, tokenLifetime: tokenLifetime)
        store = FaultyStore(MemoryStore(context: .testing(clock: clock)))
    }

    var world: PluginContext { .testing(clock: clock, observer: observer) }

    /// Another process over the same store.
    func process(
        seed: UInt64 = 7, _ change: (AuthClient.Builder) -> AuthClient.Builder = { $0 }
    ) throws -> AuthClient {
        var settings = EngineSettings()
        settings.refresh = .onDemand
        let builder = AuthClient.Builder().provider(service).store(store).transport(ScriptedTransport())
            .context(.testing(clock: clock, seed: seed, observer: observer)).settings(settings)
        return try change(builder).build()
    }

    /// A process in which `subject` is signed in.
    func signedIn(seed: UInt64 = 7) async throws -> AuthClient {
        let auth = try process(seed: seed)
        _ = try await auth.signIn(with: "scripted", .anonymous)
        return auth
    }

    /// Moves the clock from sleeper to sleeper until `work` is done: nobody waits for real time.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask { [clock] in
                while !Task.isCancelled {
                    if clock.advanceToNextSleeper() == nil { await Task.yield() }
                }
                return nil
            }
            defer { group.cancelAll() }
            guard let value = try await group.next(), let value else { throw CancellationError() }
            return value
        }
    }
}

/// What `work` throws, as the code; `nil` when it does not.
func code<Value>(_ work: () async throws -> Value) async -> AuthError.Code? {
    do {
        _ = try await work()
        return nil
    } catch {
        return (error as? AuthError)?.code
    }
}
