import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// Workers in the background: what they are given leave for, and what becomes of the outbox.
extension History {
    /// What is to be sent. It outlives every process, as a queue on the disk does.
    struct Outbox {
        var last = 0
        var waiting: [Int] = []
        /// Items that a process is sending, and for whom.
        var taken: [Int: (process: Int, account: AccountID)] = [:]
        var done: Set<Int> = []
        var aside: Set<Int> = []
        /// The status of the last answer that reached a living process, and when.
        var heard: [Int: (status: Int, at: MonotonicInstant)] = [:]
    }

    /// A worker in ``AuthClient/whenSignedIn``.
    struct Worker {
        let process: Int
        let named: AccountID?
        var isWaiting = false
        /// How many of its tasks wait for a time.
        var timers = 0

        /// The worker that the running task belongs to.
        @TaskLocal static var current: Int?
    }

    /// Until when an account's work rests in a process, because a service has asked for it.
    struct Resting: Hashable {
        let process: Int
        let account: AccountID
    }

    func addWork(_ count: Int) {
        state.withLock { state in
            for _ in 0..<count {
                state.outbox.last += 1
                state.outbox.waiting.append(state.outbox.last)
            }
        }
    }

    /// One worker, which goes on until the outbox is empty.
    func work(_ client: AuthClient, _ id: Int, _ running: Running, as named: AccountID?) async throws {
        guard !running.process.isKilled else { return }
        let api = try client.authorized(
            WorkTransport(inner: wire(of: running.process), history: self, process: running.process),
            origins: ["https://api.example.com"], account: named)
        var leaves = (named.map(client.whenSignedIn(as:)) ?? client.whenSignedIn).makeAsyncIterator()
        state.withLock { $0.workers[id] = Worker(process: running.number, named: named) }
        defer { state.withLock { $0.workers[id] = nil } }
        while state.withLock({ !$0.outbox.waiting.isEmpty }) {
            state.withLock { $0.workers[id]?.isWaiting = true }
            let leave = await Worker.$current.withValue(id) { await leaves.next() }
            state.withLock { $0.workers[id]?.isWaiting = false }
            guard !running.process.isKilled else { return }
            guard let leave else {
                try Task.checkCancellation()
                return violate(16, "leave to work ended in process \(running.number), and nobody ended it")
            }
            check(leave, of: running, as: named)
            guard let item = take(running, leave.account) else { return }
            let begun = machine.now
            let request = TransportRequest("POST", "https://api.example.com/work", body: Array("\(item)".utf8))
            let outcome = await leave.send(request, over: api, within: .seconds(30))
            guard !running.process.isKilled else { return }
            settle(item, outcome, Resting(process: running.number, account: leave.account), since: begun)
        }
    }

    private func take(_ running: Running, _ account: AccountID) -> Int? {
        state.withLock { state in
            guard !state.outbox.waiting.isEmpty else { return nil }
            let item = state.outbox.waiting.removeFirst()
            state.outbox.taken[item] = (running.number, account)
            return item
        }
    }

    /// What the worker was told of an item, against what was answered.
    private func settle(
        _ item: Int, _ outcome: WorkOutcome<TransportResponse>, _ resting: Resting, since begun: MonotonicInstant
    ) {
        let heard = state.withLock { state in
            state.outbox.taken[item] = nil
            return state.outbox.heard[item]
        }
        switch outcome {
        case .done:
            if heard.map({ !(200..<400).contains($0.status) }) ?? true {
                violate(16, "item \(item) was done without an answer that says so")
            }
            state.withLock { _ = $0.outbox.done.insert(item) }
        case .refused(let why):
            let isFinal = (why as? WorkRefused).map { (400..<500).contains($0.response.status) } ?? false
            if !isFinal || [401, 408, 425, 429].contains(heard?.status) {
                violate(16, "item \(item) was set aside for \(why)")
            }
            state.withLock { _ = $0.outbox.aside.insert(item) }
        case .later(let why):
            if let heard, (200..<400).contains(heard.status) {
                violate(16, "item \(item) was answered with \(heard.status), and is to be sent again")
            }
            // Counted from the earliest moment that the engine can have counted from.
            var rest = (why as? AuthError).flatMap { $0.recovery == .signIn ? nil : $0.retryAfter }.map { begun + $0 }
            if let asked = (why as? WorkPostponed)?.retryAfter, let heard { rest = heard.at + asked }
            state.withLock { state in
                state.outbox.waiting.insert(item, at: 0)
                if let rest, rest > state.rests[resting] ?? rest - .seconds(1) { state.rests[resting] = rest }
            }
        }
    }

    /// Law 16: nobody works while locked, signed out, asked to come later, or just found out that there is no network.
    private func check(_ leave: WorkLeave, of running: Running, as named: AccountID?) {
        let (now, account) = (machine.now, leave.account)
        if let named, named != account { violate(16, "leave for \(named.value) was given for \(account.value)") }
        if running.client.isLocked || lockedAt(running).map({ $0 < now }) ?? false {
            violate(16, "leave to work was given in process \(running.number), which is locked")
        }
        if let person = Self.people.first(where: { self.account($0) == account }), isSurelyOut(person, of: running) {
            violate(16, "leave to work was given in process \(running.number), and \(person) is signed out there")
        }
        let resting = Resting(process: running.number, account: account)
        if let until = state.withLock({ $0.rests[resting] }), now < until {
            violate(16, "leave to work was given \(until - now) before a service wanted to be asked again")
        }
        if let told = state.withLock({ $0.news[resting]?.offlineAt }), now - told < .milliseconds(500) {
            violate(16, "leave to work was given \(now - told) after a refresh found no network")
        }
    }

    /// Whether nobody can be signed in as `person` in `running`, and it must know that: the store says so since before
    /// the process began, or it signed the person out itself, and nobody has begun to sign in since.
    func isSurelyOut(_ person: String, of running: Running) -> Bool {
        state.withLock { state in
            guard state.records[person]?.credential == nil, !state.isEntering else { return false }
            let entered = state.entering[person, default: 0]
            if entered == 0 { return true }
            if let left = state.left[running.number]?[person] { return left == entered }
            guard let vacant = state.vacant[person] else { return false }
            return running.started > vacant.since && vacant.entered == entered
        }
    }

    /// Law 16: who waits for somebody to sign in waits for no time.
    func checkWorkers() {
        let waiting = state.withLock { state in
            state.hasStoreTrouble ? [] : state.workers.values.filter { $0.isWaiting && $0.timers > 0 }
        }
        guard !waiting.isEmpty, !machine.isDue else { return }
        if let ended = state.withLock({ $0.troubleEnded }), machine.elapsed - ended < .seconds(70) { return }
        for worker in waiting {
            guard let running = running.first(where: { $0.number == worker.process }), !running.process.isKilled,
                Self.people.allSatisfy({ person in
                    worker.named.map { $0 != account(person) } ?? false || isSurelyOut(person, of: running)
                })
            else { continue }
            violate(16, "a worker in process \(running.number) waits for a time, and nobody is signed in")
        }
    }
}
