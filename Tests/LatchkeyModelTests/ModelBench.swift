import Latchkey
import LatchkeyModel
import LatchkeyTesting
import TaskSettling

/// A model over a real client, a scripted service and a clock that stands still. It runs on the main
/// actor, as an app's windows do.
@MainActor final class ModelBench {
    let clock = ManualClock()
    let service: ScriptedProvider
    let store: FaultyStore<MemoryStore>
    let unlock: ScriptedUnlock
    let client: AuthClient
    let model: AuthModel
    /// Every move, in order.
    private(set) var moves: [ModelMove] = []

    init(
        rules: ProviderRules = .scripted(), policy: UnlockPolicy = UnlockPolicy(atLaunch: false),
        options change: (inout ModelOptions) -> Void = { _ in },
        over store: FaultyStore<MemoryStore>? = nil, build: (AuthClient.Builder) -> AuthClient.Builder = { $0 }
    ) throws {
        service = ScriptedProvider(rules: rules)
        self.store = store ?? FaultyStore(MemoryStore(context: .testing(clock: clock)))
        unlock = ScriptedUnlock(clock: clock)
        let context = PluginContext.testing(clock: clock)
        var settings = EngineSettings()
        settings.refresh = .onDemand
        // So that moving the clock for one thing does not end another that is under way.
        settings.requestDeadline = .seconds(86_400)
        settings.challengeLifetime = .seconds(86_400)
        let builder = AuthClient.Builder().provider(service).store(self.store).transport(ScriptedTransport())
            .unlock(unlock, reason: "Show your notes", policy: policy).context(context).settings(settings)
        client = try build(builder).build()
        var options = ModelOptions()
        options.language = .english
        change(&options)
        model = AuthModel(client, options, context: context)
        model.onMove = { [weak self] move in self?.moves.append(move) }
    }

    /// Starts the model.
    func started() async -> (ModelBench, AuthModel) {
        await model.start()
        return (self, model)
    }

    /// Fills in the form for a password, as a person does.
    func fillIn(_ purpose: ModelPurpose = .signIn) {
        model.show(purpose)
        model.form.method = model.form.methods.first { $0.kind == .password }
        model.form.identifier = "alice@example.com"
        model.form.setPassword("correct horse")
    }

    /// Fills in the form and submits it. Returns when the request is under way, of which `step` is the end.
    func submitting(_ step: ScriptedProvider.TurnStep) async throws -> Task<IntentResult, Never> {
        service.script(turns: step)
        fillIn()
        let submitted = Task { await model.submit() }
        try await until { service.beginCount == 1 }
        return submitted
    }

    /// A challenge of the service.
    func challenge(_ ask: Ask, _ name: String = "challenge-of-sixteen", resendAfter: Duration? = nil) -> Challenge {
        Challenge(id: name, binding: service.rules.binding, ask: ask, resendAfter: resendAfter)
    }

    /// The next answer of the service asks for a code that was mailed.
    var code: ScriptedProvider.TurnStep { .turn(.asked(challenge(.code(over: .mail, sentTo: "a…@example.com")))) }

    /// Returns when `condition` holds. Call it where something makes it so.
    func until(_ condition: () -> Bool) async throws {
        for _ in 0..<1_000_000 {
            if condition() { return }
            await Task.yield()
        }
        throw Stuck()
    }

    /// Moves the clock second by second until `condition` holds, and lets the tasks go on in between.
    func advance(until condition: () -> Bool) async throws {
        for _ in 0..<1_000 {
            if await settleTasks(until: condition) { return }
            clock.advance(by: .seconds(1))
        }
        throw Stuck()
    }

    struct Stuck: Error {}
}
