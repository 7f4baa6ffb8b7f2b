import LatchkeyFileStore
import LatchkeyLocked
import LatchkeyTesting

@testable import Latchkey

/// What may happen next in a history.
enum Operation: CaseIterable {
    case signIn, token, token2, refresh, refreshTwice, signOut, restore, kill, powerLoss, passTime, suspend, turnWall
    case diskFull, diskError, diskWell, endElsewhere, cancelled
}

extension History {
    func operate(_ operation: Operation) {
        let slot = draw(3)
        let person = Self.people[draw(4) == 0 ? 1 : 0]
        tell("\(operation) slot=\(slot) person=\(person)")
        switch operation {
        case .signIn: signIn(running(slot), person)
        case .token, .token2: token(running(slot), person, forced: false)
        case .refresh: token(running(slot), person, forced: true)
        case .refreshTwice:
            token(running(slot), person, forced: true)
            token(running((slot + 1) % 3), person, forced: true)
        case .signOut: signOut(running(slot), person)
        case .restore:
            let running = running(slot)
            machine.executor.start { _ = try? await running.client.restore() }
        case .kill: if let running = state.withLock({ $0.running[slot] }) { kill(running) }
        case .powerLoss: losePower()
        case .passTime: pass(.seconds(1 + draw(400)))
        case .suspend:
            machine.suspend(for: .seconds(draw(10_000)))
        case .turnWall: machine.turnWall(by: .seconds((draw(2) == 0 ? -1 : 1) * 86_400))
        case .diskFull: disk.inject { operation, _ in [.create, .write].contains(operation) ? .full : nil }
        case .diskError:
            let countdown = Locked(draw(30))
            disk.inject { operation, _ in
                guard operation != .status, operation != .read, operation != .list else { return nil }
                return countdown.withLock { left in
                    left -= 1
                    return left == 0 ? .failed(5) : nil
                }
            }
        case .diskWell: disk.inject(nil)
        case .endElsewhere: if draw(4) == 0, !service.families.isEmpty { endOne() }
        case .cancelled:
            let running = running(slot)
            let account = account(person)
            let task = Task.detached(executorPreference: machine.executor) {
                _ = try? await running.client.refresh(of: account)
            }
            machine.at(machine.now + .milliseconds(draw(100))) { task.cancel() }
        }
    }

    func account(_ person: String) -> AccountID {
        AccountID(subject: person, of: SimulatedProvider(kind).rules.binding)
    }

    func running(_ slot: Int) -> Running { state.withLock({ $0.running[slot] }) ?? start(slot) }

    @discardableResult
    func start(_ slot: Int) -> Running {
        if let former = state.withLock({ $0.running[slot] }) { kill(former) }
        let number = state.withLock { state in
            state.started += 1
            return state.started
        }
        let process = SimulatedProcess(on: machine, disk: disk, seed: UInt64(number))
        let context = process.context(observer: Teller(history: self, number: number))
        var settings = EngineSettings()
        settings.refresh = draw(3) == 0 ? .ahead : .onDemand
        // The builder refuses nothing here, or the test is wrong.
        guard
            let client = try? AuthClient.Builder().provider(SimulatedProvider(kind)).context(context)
                .store(.file(unencryptedAt: Self.directory, context: context))
                .transport(network.transport(of: process)).settings(settings).build()
        else { preconditionFailure("the client cannot be built") }
        let running = Running(number: number, started: machine.elapsed, process: process, client: client)
        tell("process \(number) starts in slot \(slot)")
        state.withLock { $0.running[slot] = running }
        return running
    }

    func kill(_ running: Running) {
        tell("process \(running.number) is killed")
        running.process.kill()
        running.client.engine.alarm.stop()
        noteLosses()
        state.withLock { state in
            for slot in state.running.indices where state.running[slot]?.number == running.number {
                state.running[slot] = nil
            }
        }
    }

    private func losePower() {
        for running in state.withLock({ $0.running }).compactMap(\.self) { kill(running) }
        disk.crash(losing: .some(seed: UInt64(draw(1_000_000))))
        machine.reboot()
        noteLosses()
    }

    private func pass(_ duration: Duration) {
        let end = machine.now + duration
        proceed(to: end)
        machine.suspend(for: end - machine.now)
    }

    private func endOne() {
        let family = draw(service.families.count)
        tell("family \(family) ends elsewhere")
        service.end(family)
    }

    private func signIn(_ running: Running, _ person: String) {
        machine.executor.start { [self] in
            do throws(AuthError) {
                let session = try await running.client.signIn(
                    with: "simulated", .password(identifier: person, Secret("x")))
                tell("process \(running.number) signed in \(session.id.value)")
            } catch {
                tell("process \(running.number) sign-in: \(error.code)")
            }
        }
    }

    private func token(_ running: Running, _ person: String, forced: Bool) {
        let account = account(person)
        let begun = machine.elapsed
        machine.executor.start { [self] in
            do throws(AuthError) {
                let token =
                    forced
                    ? try await running.client.refresh(of: account) : try await running.client.accessToken(of: account)
                tell("process \(running.number) got \(token.value.revealText()) durable=\(token.isDurable)")
                check(token, of: running, since: begun)
            } catch {
                tell("process \(running.number) token: \(error.code)")
            }
        }
    }

    private func signOut(_ running: Running, _ person: String) {
        let account = account(person)
        machine.executor.start { [self] in
            let before = stored(person)
            do throws(AuthError) {
                let result = try await running.client.signOut(of: account)
                tell("process \(running.number) signed out \(person): \(result)")
                guard result != .nothingToDo, let before, !running.process.isKilled else { return }
                // Somebody may have signed in anew between the look and the sign-out: then the new one is meant.
                if stored(person) == nil || stored(person)?.login != before.login {
                    state.withLock { $0.signedOut[before.family] = machine.elapsed }
                }
            } catch {
                tell("process \(running.number) sign-out: \(error.code)")
            }
        }
    }
}

/// Writes what the engine observes into the story.
private struct Teller: AuthObserver {
    let history: History
    let number: Int

    func observe(_ observation: Observation) {
        // What the store does is seen on the disk.
        if case .store = observation { return }
        history.tell("    \(number): \(observation)")
    }
}
