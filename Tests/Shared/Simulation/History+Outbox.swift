import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// The outbox: what is sent from it, and what is left in the end.
extension History {
    /// Once everything is well: whoever is signed in works, and nothing is lost.
    func settleWork() {
        guard state.withLock({ !$0.workers.isEmpty }) else { return }
        for running in running where state.withLock({ $0.workers.values.contains { $0.process == running.number } }) {
            for person in Self.people { perform(.signIn, running, person) }
        }
        drain(seconds: 30)
        let rest = state.withLock { $0.rests.values.max() }.map { $0 - machine.now } ?? .zero
        // Work waits as long as the service wants to be left alone with refreshes.
        let pause = state.withLock { $0.records.values.compactMap { $0.live?.pause?.lasts }.max() } ?? .zero
        // The longest pause, and the time for one item after another.
        proceed(to: machine.now + max(rest, pause, .zero) + .seconds(75))
        for (id, worker) in state.withLock({ $0.workers }).sorted(by: { $0.key < $1.key }) {
            guard let running = running.first(where: { $0.number == worker.process }), !running.process.isKilled else {
                continue
            }
            if lockedAt(running) == nil, !running.client.isLocked, worker.isWaiting, isIn(running, worker.named) {
                violate(16, "a worker in process \(running.number) still waits, though somebody is signed in")
            }
            cancel(id)
        }
    }

    private func isIn(_ running: Running, _ named: AccountID?) -> Bool {
        Self.people.contains { person in
            (named.map { $0 == account(person) } ?? (running.client.currentAccount == account(person)))
                && running.client.currentToken(of: account(person)) != nil
        }
    }

    /// What a dead process was sending is to be sent again.
    func giveBack(_ running: Running) {
        // The clock of a dead process lets nobody sleep: a worker would go round without end.
        let workers = state.withLock { $0.workers.filter { $0.value.process == running.number }.keys.sorted() }
        for id in workers { state.withLock { $0.tasks[id] }?.cancel() }
        state.withLock { state in
            for item in state.outbox.taken.filter({ $0.value.process == running.number }).keys.sorted() {
                state.outbox.taken[item] = nil
                state.outbox.heard[item] = nil
                state.outbox.waiting.append(item)
            }
            state.workers = state.workers.filter { $0.value.process != running.number }
            state.rests = state.rests.filter { $0.key.process != running.number }
        }
    }

    /// No item is in two places, and none is in no place.
    func checkOutbox() {
        let outbox = state.withLock { $0.outbox }
        let places = outbox.waiting + Array(outbox.taken.keys) + Array(outbox.done) + Array(outbox.aside)
        if places.sorted() != Array(1..<outbox.last + 1) {
            violate(16, "\(outbox.last) items were to be sent, and there are \(places.sorted())")
        }
    }
}

/// Notes which item was sent with whose token, and what was answered.
struct WorkTransport: HTTPTransport {
    let inner: any HTTPTransport
    let history: History
    let process: SimulatedProcess

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let item = request.body.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
        history.checkSent(item, request, by: process)
        let response = try await inner.send(request, deadline: deadline)
        guard !process.isKilled else { return response }
        history.state.withLock { $0.outbox.heard[item] = (response.status, history.machine.now) }
        return response
    }
}

extension History {
    fileprivate func checkSent(_ item: Int, _ request: TransportRequest, by process: SimulatedProcess) {
        guard !process.isKilled else { return }
        let (heard, taken) = state.withLock { ($0.outbox.heard[item], $0.outbox.taken[item]) }
        if let heard, (200..<400).contains(heard.status) {
            violate(16, "item \(item) was sent again after it was done")
        }
        let token = request.fields["Authorization"].map { String($0.dropFirst("Bearer ".count)) } ?? ""
        guard let taken, let family = service.access(token)?.family else { return }
        if account(service.families[family].subject) != taken.account {
            violate(16, "the work of \(taken.account.value) was sent with another person's token")
        }
    }
}
