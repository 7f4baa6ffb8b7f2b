import FoundationEssentials
import Latchkey
import LatchkeyDevServer
import LatchkeySystem
import LatchkeySupabase
import LatchkeyTesting

/// A person at one device: a store, and one process after another over it.
final class WalkedPerson: Sendable {
    /// One process.
    struct Life: Sendable {
        let client: AuthClient
        let line: FaultyLine
        let store: CrashingStore
        let events: Locked<[AuthEvent]>
    }

    let service: WalkedService
    let mail: String
    let password = "correct horse 42 staple"
    let notes = Locked<[String: String]>([:])
    private let asksForFactors: Bool
    private let executor: SeededExecutor
    private let store: MemoryStore
    private let running = Locked(1)
    private let life: Locked<Life>

    /// - Parameter asksForFactors: Whether a sign-in asks for the person's further factor.
    init(_ service: WalkedService, _ executor: SeededExecutor, asksForFactors: Bool = false) throws {
        let number = service.number()
        (self.service, self.executor, self.asksForFactors) = (service, executor, asksForFactors)
        mail = "person\(number)@example.test"
        store = MemoryStore(context: .testing(clock: service.clock))
        life = Locked(
            try Self.begin(
                service, store, Self.context(service, executor, running, 1), executor, asksForFactors: asksForFactors))
    }

    /// What the process number `process` has of the machine.
    private static func context(
        _ service: WalkedService, _ executor: SeededExecutor, _ running: Locked<Int>, _ process: Int
    ) -> PluginContext {
        let random = SeededRandom(seed: UInt64(service.number()))
        return PluginContext(
            clock: service.clock, random: { random.bytes($0) }, files: SimulatedFiles(),
            processes: WalkedProcesses(process: process, running: running), observer: SilentObserver(),
            start: { _, work in executor.start(work) })
    }

    private static func begin(
        _ service: WalkedService, _ inner: MemoryStore, _ context: PluginContext, _ executor: SeededExecutor,
        asksForFactors: Bool
    ) throws -> Life {
        var settings = EngineSettings()
        settings.refresh = .onDemand
        var provider = SupabaseProvider.supabase(
            projectURL: service.server.supabaseURL, publishableKey: "sb_publishable_development",
            redirect: "latchkey-demo://cb")
        provider.reuseInterval = .seconds(service.setting.interval)
        provider.asksForFactors = asksForFactors
        let (line, store) = (FaultyLine(service.server, service.clock), CrashingStore(inner))
        let client = try AuthClient.Builder().provider(provider).store(store).transport(line).context(context)
            .settings(settings).build()
        let events = Locked<[AuthEvent]>([])
        let told = client.events
        executor.start { for await event in told { events.withLock { $0.append(event) } } }
        return Life(client: client, line: line, store: store, events: events)
    }

    var client: AuthClient { life.withLock { $0.client } }
    var line: FaultyLine { life.withLock { $0.line } }
    var events: [AuthEvent] { life.withLock { $0.events }.withLock { $0 } }

    /// Ends the process without a word, and starts another one over the same store.
    func startAnew() async throws {
        await life.withLock { $0.store }.die()
        let process = running.withLock { number in
            number += 1
            return number
        }
        let next = try Self.begin(
            service, store, Self.context(service, executor, running, process), executor, asksForFactors: asksForFactors)
        life.withLock { $0 = next }
    }

    func note(_ name: String) -> String { notes.withLock { $0[name] ?? "" } }
    func note(_ name: String, _ value: String) { notes.withLock { $0[name] = value } }

    /// The last code that was sent to an address.
    func code(to address: String? = nil) -> Secret {
        Secret(service.server.inbox(of: address ?? mail).last?.code ?? "")
    }

    func totp() -> Secret {
        let wall = service.clock.wall().timeIntervalSince1970
        return Secret(DevServer.TOTP.code(secret: note("secret"), at: wall) ?? "")
    }

    func join() { service.server.add(.init(email: mail, password: password)) }

    func signIn() async throws {
        _ = try await client.signIn(with: "supabase", .password(identifier: mail, Secret(password)))
    }

    /// The service's name of the session that is signed in here.
    func session() async -> String? { (try? await client.session())?.id.value }

    enum Told: Sendable {
        case done
        case failed(AuthError)
        case killed
    }

    /// Does `work`, and returns at once when the process is killed.
    func doing(
        _ fault: ServiceFault? = nil, at place: Int = 0, _ work: @escaping @Sendable (WalkedPerson) async throws -> Void
    ) async -> Told {
        let (ends, end) = AsyncStream.makeStream(of: Told.self)
        let line = line
        line.arm(fault, at: place) { end.yield(.killed) }
        defer { line.disarm() }
        executor.start { [self] in
            do {
                try await work(self)
                end.yield(.done)
            } catch {
                end.yield(.failed(error as? AuthError ?? AuthError(.untrusted(.malformed), "\(error)")))
            }
        }
        for await told in ends { return told }
        return .killed
    }
}

/// The processes of one person's device, of which the newest runs.
private struct WalkedProcesses: ProcessLooking {
    let process: Int
    let running: Locked<Int>

    var current: ProcessIdentity? { ProcessIdentity(space: "device", number: process, began: "\(process)") }

    func state(of process: ProcessIdentity) -> ProcessState {
        running.withLock { $0 == Int(process.began) } ? .running : .ended
    }
}
