import Latchkey
import LatchkeyFileStore
import LatchkeySystem
import LatchkeyTesting

/// One run of ``KillTests``: a machine, a disk, a service, and processes over them.
final class KillStage {
    private let run: KillTests.Run
    private let isTold: Bool
    private let machine = SimulatedMachine(schedule: 4_711)
    private let disk = SimulatedDisk()
    private let service: GraceService
    private let first: GraceWire.FirstRequest
    private let killed = Locked<Set<Int>>([])
    private var started: UInt64 = 0

    /// - Parameter isTold: Whether processes can tell that another one has ended.
    init(_ run: KillTests.Run, isTold: Bool) {
        (self.run, self.isTold) = (run, isTold)
        service = GraceService(run.kind)
        first = GraceWire.FirstRequest(queue: run.queue, isCut: run.moment == nil)
    }

    /// It never ends.
    struct Stuck: Error {}

    func play() throws -> KillTests.End {
        let process: SimulatedProcess
        var client: AuthClient?
        (process, client) = try start()
        try finish { [client] in try await Self.signIn(client) }.get()
        pass(.seconds(120))
        try interrupt(process, client)
        // With a process, its client ends.
        if run.moment != nil { client = nil }
        pass(run.later)
        let asked = machine.now
        let wasAnswered = wouldAnswer(at: asked + lead)
        let isSlower = first.acts.map { $0 > asked + lead } ?? false
        let askers = try (0..<run.askers).map { _ in try client ?? start().1 }
        let ends = askers.map { asker in begin { [machine] in try await Self.ask(asker, machine) } }
        try drive { ends.allSatisfy { $0.withLock { $0 != nil } } }
        let waited = machine.now - asked
        let areServed = ends.allSatisfy { end in (try? end.withLock { $0 }?.get()) != nil }
        // What is left on its way arrives, the token ends, and the next one is asked for.
        pass(.seconds(180))
        let last = try start().1
        let isAlive = (try? finish { _ = try await last.accessToken() }.get()) != nil
        return KillTests.End(
            isKept: areServed && isAlive, waited: waited, wasAnswered: wasAnswered, isSlower: isSlower)
    }

    /// The least time after which the token is sent again, and a moment more.
    private var lead: Duration { run.kind.known.map { $0 / 2 + .milliseconds(50) } ?? .milliseconds(1_050) }

    /// Whether the service would keep the session, if the token of the sign-in came at `instant`.
    private func wouldAnswer(at instant: MonotonicInstant) -> Bool {
        var family = service.family
        if let acts = first.acts, acts > machine.now, acts <= instant { _ = family.act(0, at: acts) }
        guard let next = family.act(0, at: instant) else { return false }
        if let acts = first.acts, acts > instant { _ = family.act(0, at: acts) }
        return family.isAlive && family.current == next
    }

    /// Asks for a token, and kills the process at the moment of the run, or waits for the lost answer.
    private func interrupt(_ process: SimulatedProcess, _ client: AuthClient?) throws {
        let begun = steps
        guard let moment = run.moment else {
            _ = try finish { _ = try await client?.accessToken() }
            return
        }
        let whole = try Self.length(run)
        let end = begin { _ = try await client?.accessToken() }
        try drive { self.steps - begun >= whole * moment / 1_000 || end.withLock { $0 != nil } }
        process.kill()
        client?.abandon()
        killed.withLock { _ = $0.insert(process.number) }
    }

    /// Asks for a token, and again after each pause that the error names, as a program does.
    private static func ask(_ client: AuthClient, _ machine: SimulatedMachine) async throws {
        for _ in 0..<8 {
            do throws(AuthError) {
                _ = try await client.accessToken()
                return
            } catch {
                guard let pause = error.retryAfter, pause < .seconds(60) else { throw error }
                await withCheckedContinuation { next in machine.at(machine.now + pause) { next.resume() } }
            }
        }
        throw Stuck()
    }

    private static func signIn(_ client: AuthClient?) async throws {
        _ = try await client?.signIn(with: "simulated", .password(identifier: "ada", Secret("word")))
    }

    private static let lengths = Locked<[String: Int]>([:])

    /// How many steps such a refresh has, if nothing disturbs it.
    private static func length(_ run: KillTests.Run) throws -> Int {
        let name = "\(run.kind) \(run.queue)"
        if let known = lengths.withLock({ $0[name] }) { return known }
        var whole = run
        whole.moment = 0
        let stage = KillStage(whole, isTold: true)
        let client = try stage.start().1
        try stage.finish { try await signIn(client) }.get()
        stage.pass(.seconds(120))
        let begun = stage.steps
        _ = try stage.finish { _ = try await client.accessToken() }
        let found = stage.steps - begun
        lengths.withLock { $0[name] = found }
        return found
    }
}

/// The machine.
extension KillStage {
    /// Jobs, changes of the disk, and what clock and network brought.
    private var steps: Int { machine.executor.steps + disk.steps + machine.moments }

    private func start() throws -> (SimulatedProcess, AuthClient) {
        started += 1
        let process = SimulatedProcess(on: machine, disk: disk, seed: started)
        var context = process.context()
        context.processes = isTold ? Neighbours(number: process.number, killed: killed) : UnknownProcesses()
        var settings = EngineSettings()
        settings.refresh = .onDemand
        settings.followsStore = false
        var provider = GraceProvider(inner: SimulatedProvider(run.kind.rule))
        provider.rules.reuseInterval = run.kind.known
        let client = try AuthClient.Builder().provider(provider).context(context)
            .store(FileStore(unencryptedAt: "/home/alice/store", context: context))
            .transport(
                GraceWire(service: service, machine: machine, process: process, first: started == 1 ? first : nil)
            )
            .settings(settings).build()
        return (process, client)
    }

    private typealias Outcome = Locked<Result<Void, any Error>?>

    private func begin(_ work: @escaping @Sendable () async throws -> Void) -> Outcome {
        let outcome = Outcome(nil)
        machine.executor.start {
            let result: Result<Void, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
        }
        return outcome
    }

    private func finish(_ work: @escaping @Sendable () async throws -> Void) throws -> Result<Void, any Error> {
        let outcome = begin(work)
        try drive { outcome.withLock { $0 != nil } }
        return outcome.withLock { $0 } ?? .failure(Stuck())
    }

    private func drive(until isDone: () -> Bool) throws {
        for _ in 0..<200_000 {
            if isDone() { return }
            if !machine.executor.step(), !machine.advance() { throw Stuck() }
        }
        throw Stuck()
    }

    /// Lets so much time pass.
    private func pass(_ duration: Duration) {
        let end = machine.now + duration
        while machine.executor.step() || machine.advance(notPast: end) {}
        machine.suspend(for: end - machine.now)
        while machine.executor.step() {}
    }
}

/// The provider of the simulation, with rules that can be changed.
private struct GraceProvider: AuthProvider {
    let inner: SimulatedProvider
    var rules: ProviderRules

    init(inner: SimulatedProvider) { (self.inner, rules) = (inner, inner.rules) }

    func begin(
        _ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext
    ) async throws -> Turn { try await inner.begin(request, options, in: context) }

    func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
        try await inner.answer(answer, to: challenge, in: context)
    }

    func refresh(
        _ credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> CredentialChange { try await inner.refresh(credential, for: want, in: context) }
}

/// All processes of the machine can look for each other.
private struct Neighbours: ProcessLooking {
    let number: Int
    let killed: Locked<Set<Int>>

    var current: ProcessIdentity? { ProcessIdentity(space: "machine", number: number, began: "\(number)") }

    func state(of process: ProcessIdentity) -> ProcessState {
        killed.withLock { $0.contains(process.number) } ? .ended : .running
    }
}
