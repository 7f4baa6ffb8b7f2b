import Latchkey
import LatchkeyFileStore
import LatchkeySystem
import LatchkeyTesting

/// What happens to processes, machine, disk, keyring and service.
extension History {
    func perform(_ step: Step) {
        switch step.deed {
        case .call(let call): perform(call, running(step.slot), step.person)
        case .both(let call):
            perform(call, running(step.slot), step.person)
            perform(call, running((step.slot + 1) % 3), step.person)
        case .event(let event):
            count("event \(event.rawValue)")
            perform(event, step.slot, step.person)
        }
    }

    private func perform(_ event: Event, _ slot: Int, _ person: String) {
        if event.troublesStore { state.withLock { $0.hasStoreTrouble = true } }
        switch event {
        case .kill:
            guard let running = state.withLock({ $0.running[slot] }) else { return }
            if draw(2) == 0 { killMidway(running) } else if draw(3) == 0 { leave(running) } else { kill(running) }
        case .powerLoss: if draw(2) == 0 { losePowerMidway() } else { losePower(UInt64(draw(1_000_000))) }
        case .passTime: pass(.seconds(1 + draw(400)))
        case .suspend: machine.suspend(for: .seconds(draw(10_000)))
        case .turnWall:
            state.withLock { $0.hasTurnedWall = true }
            note(.turned, by: nil)
            machine.turnWall(by: .seconds((draw(2) == 0 ? -1 : 1) * [30, 3_600, 86_400][draw(3)]))
        case .clockDrifts: machine.setDrift(draw(21) - 10)
        case .endElsewhere: if !service.families.isEmpty { endOne() }
        case .cancel: cancelOne()
        case .diskFull: disk.inject { operation, _ in [.create, .write].contains(operation) ? .full : nil }
        case .diskDenied: disk.inject { operation, _ in [.create, .rename, .lock].contains(operation) ? .denied : nil }
        case .diskFails: failDisk()
        case .lockHeld: holdLock()
        case .keyringLocked: keyring.set(.locked)
        case .keyringUnavailable: keyring.set(.unavailable)
        case .keyringFull: keyring.set(.full)
        case .keyringSlow: keyring.set(.slow)
        case .keyringLosesAnswers: keyring.set(.lostAnswer)
        case .allWell: allWell()
        case .neighbourGetsIn: neighbourGetsIn()
        case .diesWaiting: dieWaiting(slot, person)
        case .tap: tap(running(slot), person)
        case .outage: goDown()
        case .backOnline: network.setDown(false)
        case .serviceRests: network.setRest(until: machine.now + .seconds([5, 60, 600, 3_600][draw(4)]))
        }
    }

    func account(_ person: String) -> AccountID { AccountID(subject: person, of: rules.binding) }

    func running(_ slot: Int) -> Running { state.withLock({ $0.running[slot] }) ?? start(slot) }

    @discardableResult
    func start(_ slot: Int) -> Running {
        if let former = state.withLock({ $0.running[slot] }) { kill(former) }
        let number = state.withLock { state in
            state.started += 1
            return state.started
        }
        let process = SimulatedProcess(on: machine, disk: disk, seed: UInt64(number))
        state.withLock { $0.numbers[process.number] = number }
        var context = process.context(observer: Teller(history: self, process: process, number: number))
        context.clock = WorkClock(inner: context.clock, history: self)
        var settings = EngineSettings()
        settings.refresh = draw(3) == 0 ? .ahead : .onDemand
        settings.followsStore = draw(2) == 0
        // Where each account is named there is no unlock.
        if scenario.gate == .none, number % 4 == 3 {
            settings.accounts = .whenNamed
            state.withLock { _ = $0.naming.insert(number) }
        }
        if settings.followsStore { state.withLock { _ = $0.following.insert(number) } }
        let person =
            scenario.gate == .none
            ? nil
            : SimulatedPerson(seed: UInt64(number) ^ 0x9E37, clock: context.clock) { [weak self] in
                self?.notePerson(number, provedAt: $0)
            }
        var builder = AuthClient.Builder().provider(dialect.provider).context(context)
            .transport(wire(of: process)).settings(settings)
        var isStoreOpen: (@Sendable () -> Bool)?
        if scenario.isOnDisk {
            let store = FileStore(unencryptedAt: Self.directory, context: context)
            (builder, isStoreOpen) = stored(builder, TracedStore(inner: store, history: self, process: process))
        } else {
            (builder, isStoreOpen) = stored(
                builder, TracedStore(inner: keyring.store(of: process), history: self, process: process))
        }
        if let person {
            let policy = scenario.gate.policy
            builder =
                scenario.gate == .keyed
                ? builder.unlock(SimulatedKeyPresence(person: person), reason: "open", policy: policy)
                : builder.unlock(SimulatedPresence(person: person), reason: "open", policy: policy)
        }
        // The builder refuses nothing here, or the simulation is wrong.
        guard let client = try? builder.build() else { preconditionFailure("the client cannot be built") }
        let running = Running(
            number: number, started: machine.elapsed, process: process, client: client, gate: person,
            began: machine.now, isStoreOpen: isStoreOpen)
        if person != nil {
            state.withLock {
                $0.gates[number] = SeenGate(toldLocked: client.isLocked, toldAt: machine.now)
            }
        }
        tell("process \(number) starts in slot \(slot)")
        note(.start, by: process)
        state.withLock { $0.running[slot] = running }
        return running
    }

    /// The store, which a key opens where the history says so.
    private func stored<Store: CrossProcessStore & WatchableStore>(
        _ builder: AuthClient.Builder, _ store: TracedStore<Store>
    ) -> (AuthClient.Builder, (@Sendable () -> Bool)?) {
        guard scenario.gate == .keyed else { return (builder.store(store), nil) }
        let keyed = KeyedStore(store, key: SimulatedPerson.key.secret)
        return (builder.store(keyed), { keyed.isOpen })
    }

    func kill(_ running: Running) {
        fall(running)
        bury(running)
    }

    /// Ends it as a program does that catches a signal: what has not been sent is not sent any more, and what has been
    /// sent is answered and stored before the process is gone.
    private func leave(_ running: Running) {
        count("leaving")
        tell("process \(running.number) is told to end")
        running.client.stopSending()
        let calls = state.withLock { state in
            state.ending = running.number
            return state.calls.filter { $0.value.process == running.number }.keys.sorted()
        }
        for id in calls { cancel(id) }
        let hasEnded = Locked(false)
        machine.executor.start {
            await running.client.finishSent()
            hasEnded.withLock { $0 = true }
        }
        // Longer than it may wait.
        let end = machine.now + .seconds(80)
        while !hasEnded.withLock({ $0 }), !running.process.isKilled, !isStuck {
            if !runJob(), !machine.advance(notPast: end) { break }
        }
        if hasEnded.withLock({ $0 }), !running.process.isKilled, !hasStoreBeenInTrouble,
            !running.client.exchangesUnderWay.isEmpty
        {
            violate(7, "process \(running.number) has ended, and what it had sent is not stored")
        }
        state.withLock { $0.ending = nil }
        if !running.process.isKilled { kill(running) }
    }

    /// It has no effect any more.
    private func fall(_ running: Running) {
        guard !running.process.isKilled else { return }
        tell("process \(running.number) is killed")
        note(.crash, by: running.process)
        network.setUncovered(hasStoreBeenInTrouble)
        running.process.kill()
    }

    /// Whether a mark may have grown old because the store took no renewals.
    var hasStoreBeenInTrouble: Bool {
        state.withLock { state in
            state.hasStoreTrouble || state.troubleEnded.map { machine.elapsed - $0 < .seconds(20) } ?? false
        }
    }

    private func bury(_ running: Running) {
        running.client.abandon()
        noteLosses()
        giveBack(running)
        state.withLock { state in
            for slot in state.running.indices where state.running[slot]?.number == running.number {
                state.running[slot] = nil
            }
        }
    }

    /// Kills it between two changes that it makes to the disk.
    private func killMidway(_ running: Running) {
        disk.strike(beforeStep: 1 + draw(12), of: running.process.files) { [self] in
            count("midway kill")
            fall(running)
            state.withLock { $0.fallen.append(running) }
        }
    }

    private func losePowerMidway() {
        let seed = UInt64(draw(1_000_000))
        disk.strike(beforeStep: 1 + draw(12)) { [self] in
            count("midway powerLoss")
            for running in powered { fall(running) }
            state.withLock { $0.blackout = seed }
        }
    }

    /// What is left to do about those who died in the middle of a job.
    func bury() {
        let (fallen, blackout) = state.withLock { state in
            defer { (state.fallen, state.blackout) = ([], nil) }
            return (state.fallen, state.blackout)
        }
        for running in fallen { bury(running) }
        if let blackout { losePower(blackout) }
    }

    private func losePower(_ seed: UInt64) {
        for running in powered { kill(running) }
        state.withLock { $0.heldLock = nil }
        neighbourLeaves()
        disk.crash(losing: .some(seed: seed))
        machine.reboot()
        network.setRest(until: nil)
        state.withLock { state in
            state.proofs = []
            (state.contact, state.vacant) = ([:], [:])
        }
        note(.boot(machine.boot), by: nil)
        seeAnew()
        noteLosses()
    }

    private func pass(_ duration: Duration) {
        let end = machine.now + duration
        proceed(to: end)
        machine.suspend(for: end - machine.now)
    }

    /// Nothing gets through; the machine is used for some minutes of it, and sleeps in between.
    private func goDown() {
        network.setDown(true)
        let days = [0, 0, 1, 4, 8][draw(5)]
        pass(.seconds(1 + draw(400)))
        if days > 0 {
            state.withLock { $0.daysDown += days }
            machine.suspend(for: .seconds(days * 86_400))
            pass(.seconds(1 + draw(100)))
        }
        if draw(2) == 0 { network.setDown(false) }
    }

    /// Longer than a mark lasts that nobody renews, and not as long as the service needs.
    private func dieWaiting(_ slot: Int, _ person: String) {
        let waits = 11 + draw(40)
        let victim = running(slot)
        network.setSlow(by: .seconds(waits + 1 + draw(8)))
        perform(.refresh, victim, person)
        let end = machine.now + .seconds(waits)
        // Something to wait for, or time would stand still before.
        machine.at(end) {}
        proceed(to: end)
        if !victim.process.isKilled { kill(victim) }
        bury()
        network.setSlow(by: nil)
        perform(.refresh, running((slot + 1) % 3), person)
    }

    private func endOne() {
        let family = draw(service.families.count)
        tell("family \(family) ends elsewhere")
        service.end(family)
    }

    private func cancelOne() {
        let tasks = state.withLock { state in state.tasks.filter { state.calls[$0.key] != nil } }
        if let id = tasks.keys.max() { cancel(id) }
    }

    private func failDisk() {
        let countdown = Locked(1 + draw(30))
        disk.inject { operation, _ in
            guard operation != .status, operation != .read, operation != .list else { return nil }
            return countdown.withLock { left in
                left -= 1
                return left == 0 ? .failed(5) : nil
            }
        }
    }

    /// Another program, a backup, holds the lock under which commits are made.
    private func holdLock() {
        let files = SimulatedFiles(on: disk)
        guard let lock = try? files.lock("\(Self.directory)/store.lock", sharing: false) else { return }
        state.withLock { $0.heldLock = lock }
    }

    func allWell() {
        neighbourLeaves()
        disk.inject(nil)
        disk.strike(beforeStep: 0, nil)
        keyring.set(nil)
        let lock = state.withLock { state in
            if state.hasStoreTrouble { state.troubleEnded = machine.elapsed }
            state.hasStoreTrouble = false
            defer { state.heldLock = nil }
            return state.heldLock
        }
        lock?.release()
    }
}

/// Writes what the engine observes into the story.
private struct Teller: AuthEventObserving {
    let history: History
    let process: SimulatedProcess
    let number: Int

    func observe(_ event: AuthEvent) {
        guard !process.isKilled else { return }
        history.tell("    \(number) tells: \(event)")
        history.hear(event, number)
    }

    func observe(_ observation: AuthObservation) {
        // What the store does is seen in the store.
        if case .store = observation { return }
        if case .gate(let isLocked) = observation { history.noteGate(number, isLocked: isLocked) }
        history.tell("    \(number): \(observation)")
    }
}
