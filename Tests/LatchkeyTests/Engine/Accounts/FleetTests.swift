import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

/// Many installations that lose the same service at once.
@Suite("Fleets") struct FleetTests {
    private static let size = 60

    @Test(
        "a fleet that comes back online refreshes within two minutes, and never more than an eighth in a second",
        .law(19))
    func backOnline() throws {
        let fleet = try Fleet(size: Self.size)
        fleet.proceed(for: .seconds(60))
        fleet.network.setDown(true)
        fleet.proceed(for: .seconds(900))
        fleet.answered.withLock { $0 = [] }
        // A request that was lost last is waited for, a minute at most; the pause after it is as long.
        fleet.network.setDown(false)
        let back = fleet.machine.now
        fleet.proceed(for: .seconds(180))
        let seconds = fleet.answered.withLock { $0 }.map { ($0 - back).components.seconds }
        #expect(seconds.count == Self.size)
        #expect(seconds.allSatisfy { $0 <= 120 })
        let busiest = Dictionary(grouping: seconds) { $0 }.values.map(\.count).max() ?? 0
        #expect(busiest <= Self.size / 8)
        print("fleet: clients=\(Self.size) last=\(seconds.max() ?? 0)s busiest_second=\(busiest)")
    }
}

/// Clients with a store each, which are signed in together.
private struct Fleet {
    let machine = SimulatedMachine(schedule: 1)
    let network: SimulatedNetwork
    /// When a token was answered.
    let answered = Locked<[MonotonicInstant]>([])
    private let clients: [AuthClient]

    init(size: Int) throws {
        let (machine, answered) = (machine, answered)
        let (disk, service) = (SimulatedDisk(), SimulatedService(.strict, on: machine))
        let network = SimulatedNetwork(machine, to: service, seed: 1)
        self.network = network
        clients = try (1...size).map { number in
            let process = SimulatedProcess(on: machine, disk: disk, seed: UInt64(number))
            let client = try AuthClient.Builder().provider(SimulatedProvider(.strict)).context(process.context())
                .store(MemoryStore(context: process.context()))
                .transport(
                    NotingTransport(inner: network.transport(of: process)) {
                        answered.withLock { $0.append(machine.now) }
                    }
                )
                .build()
            machine.executor.start {
                _ = try? await client.signIn(
                    with: "simulated", .password(identifier: "person-\(number)", Secret("x")))
            }
            return client
        }
    }

    /// Lets so much time pass.
    func proceed(for duration: Duration) {
        let end = machine.now + duration
        while machine.executor.step() || machine.advance(notPast: end) {}
        machine.suspend(for: end - machine.now)
    }
}

private struct NotingTransport<Inner: HTTPTransport>: HTTPTransport {
    let inner: Inner
    let note: @Sendable () -> Void

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let response = try await inner.send(request, deadline: deadline)
        if response.status == 200, request.url.hasSuffix("/token") { note() }
        return response
    }
}
