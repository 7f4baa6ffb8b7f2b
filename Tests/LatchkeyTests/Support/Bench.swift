import Foundation
import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import TaskSettling
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
        let builder = AuthClient.Builder().provider(service).store(store).transport(ScriptedTransport())
            .context(.testing(clock: clock, seed: seed, observer: observer)).settings(Self.settings)
        return try change(builder).build()
    }

    /// Without the tasks that sleep beside a request for as long as it lasts, so that `run` moves the clock for nothing
    /// but what a test is about. ``UnderWayTests`` has them.
    static var settings: EngineSettings {
        var settings = EngineSettings()
        settings.refresh = .onDemand
        settings.familyDeadline = settings.requestDeadline
        return settings
    }

    /// A process in which `subject` is signed in.
    func signedIn(seed: UInt64 = 7) async throws -> AuthClient {
        let auth = try process(seed: seed)
        _ = try await auth.signIn(with: "scripted", .anonymous)
        return auth
    }

    /// Another process, with the one sleeping task that refreshes without being asked.
    func wakefulProcess(seed: UInt64 = 8) throws -> AuthClient {
        try process(seed: seed) { builder in
            var settings = Self.settings
            settings.refresh = .ahead
            return builder.settings(settings)
        }
    }

    /// Returns when `condition` holds, however the tasks take turns. Call it where something makes it so.
    func until(_ condition: @Sendable () async throws -> Bool) async throws {
        for _ in 0..<3_000_000 {
            if try await condition() { return }
            try Task.checkCancellation()
            await Task.yield()
        }
        throw Stuck()
    }

    /// Lets every other task go on, as far as it can without the clock.
    func settle() async { await settleTasks() }

    /// What the service is still owed, by the only record.
    var owed: Int {
        get async throws { try await store.onlyRecord().document["pending"]?.array?.count ?? 0 }
    }

    /// The refresh token in the only record.
    var storedSecret: String? {
        get async throws { try await store.onlyRecord().document["credential"]?["renewal"]?.string }
    }

    /// `run` found that nothing sleeps and nothing happens, or that it goes on without end.
    struct Stuck: Error {}

    /// Moves the clock from sleeper to sleeper until `work` is done: nobody waits for real time. Throws ``Stuck`` where
    /// that leads nowhere, so that a broken rule is a failed test and not one that hangs.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask { [clock] in
                var idle = 0
                var moves = 0
                while !Task.isCancelled {
                    if clock.advanceToNextSleeper() == nil { idle += 1 } else { (idle, moves) = (0, moves + 1) }
                    guard idle < 3_000_000, moves < 100_000 else { throw Stuck() }
                    await Task.yield()
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
