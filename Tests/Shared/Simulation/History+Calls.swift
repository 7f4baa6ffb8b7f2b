import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// The calls, each with what its caller must never see.
extension History {
    @discardableResult
    func perform(_ call: Call, _ running: Running, _ person: String) -> Int {
        let account = account(person)
        count("call \(call.rawValue)")
        let (name, channel) = (rules.binding.provider, dialect.channel)
        switch call {
        case .signIn:
            state.withLock { $0.entering[person, default: 0] += 1 }
            return under(call, running, person) { client, _ in
                _ = try await client.signIn(with: name, .password(identifier: person, Secret("x")))
            }
        case .askCode:
            return under(call, running, person) { client, _ in
                _ = try await client.begin(.signIn(.code(identifier: person, over: channel)), with: name)
            }
        case .answerCode:
            state.withLock { state in for person in Self.people { state.entering[person, default: 0] += 1 } }
            let code = Secret(draw(4) == 0 ? "wrong" : "123456")
            return under(call, running, person) { client, _ in
                guard let first = try await client.pendingChallenges().first else { return }
                _ = try await client.answer(.code(code), to: first.id)
            }
        case .token, .refresh:
            return under(call, running, person) { [self] client, id in
                let begun = (machine.elapsed, machine.now)
                note(.ask(id), by: running.process)
                let token: AccessToken
                do {
                    token =
                        call == .refresh
                        ? try await client.refresh(of: account) : try await client.accessToken(of: account)
                } catch {
                    checkGrace(error, of: running, person)
                    if call == .token, let error = error as? AuthError {
                        checkWords(.failure(error), id, of: running, account)
                    }
                    throw error
                }
                note(
                    .show(id, access: token.value.revealText(), isDurable: token.isDurable), by: running.process)
                check(token, of: running, since: begun)
                checkRefused(token, by: id, in: running)
                if call == .refresh { checkOnline(token, of: running, account) }
                checkWords(.success(token), id, of: running, account)
            }
        case .stay:
            return under(call, running, person) { [self] client, id in
                let begun = (machine.elapsed, machine.now)
                note(.ask(id), by: running.process)
                let token = try await client.refresh()
                note(
                    .show(id, access: token.value.revealText(), isDurable: token.isDurable), by: running.process)
                check(token, of: running, since: begun)
                checkRefused(token, by: id, in: running)
            }
        case .work:
            let named = draw(2) == 0 ? account : nil
            addWork(1 + draw(3))
            return under(call, running, person) { [self] client, id in
                try await work(client, id, running, as: named)
            }
        case .request: return under(call, running, person) { [self] in try await request($0, $1, running, account) }
        case .signOut:
            state.withLock { _ = $0.leaving.insert(person) }
            return under(call, running, person) { [self] client, _ in try await signOut(client, running, person) }
        case .switchAccount:
            return under(call, running, person) { client, _ in try await client.switchAccount(to: account) }
        case .restore:
            let before = lives
            return under(call, running, person) { [self] client, _ in
                let found = try await client.restore()
                checkFound(found, by: running, before: before)
                checkNames(found, by: running)
            }
        case .settle: return under(call, running, person) { client, _ in try await client.settleRevocations() }
        case .verify:
            return under(call, running, person) { [dialect] client, _ in try await dialect.verify(account, with: client)
            }
        case .adopt:
            // What is imported was fresh to the app: if it is taken, its grace begins now.
            state.withLock { state in
                state.entering[person, default: 0] += 1
                state.contact[person] = nil
            }
            return under(call, running, person) { [self] client, _ in
                // As it is now: while the person unlocked, another process may have taken it over and signed out.
                let refresh = other(of: person)
                try await dialect.adopt(refresh, of: person, with: client)
                state.withLock { if $0.others[person] == refresh { $0.others[person] = nil } }
            }
        case .claims: return under(call, running, person) { [self] _, _ in try await learn(running, person) }
        case .discard: return under(call, running, person) { [self] _, _ in try await discard(running, account) }
        case .unmended:
            return under(call, running, person) { [self] client, id in
                try await askInVain(client, id, running, account)
            }
        case .lock:
            return under(call, running, person) { [self] client, _ in
                await client.lock()
                noteLocked(running)
            }
        case .unlock: return under(call, running, person) { [self] client, _ in try await unlock(running) }
        case .background:
            let isGone = draw(2) == 0
            if !isGone { noteBack(running) }
            return under(call, running, person) { [self] client, _ in
                await client.setPhase(isGone ? .background : .active)
                if isGone { noteGone(running) }
            }
        }
    }

    /// Starts the call, notes what else is under way, and sees to how it ends.
    private func under(
        _ call: Call, _ running: Running, _ person: String,
        _ work: @escaping @Sendable (AuthClient, Int) async throws -> Void
    ) -> Int {
        let id = state.withLock { state in
            for other in state.calls.values where state.running.contains(where: { $0?.number == other.process }) {
                state.counts[Tally.pair(call.rawValue, other.call.rawValue), default: 0] += 1
            }
            state.nextCall += 1
            state.calls[state.nextCall] = Underway(call: call, process: running.number)
            return state.nextCall
        }
        // Most people who want something unlock first where they have to.
        let opensFirst = running.gate != nil && ![.lock, .unlock, .background, .work].contains(call) && draw(4) != 0
        let task = Task.detached(executorPreference: machine.executor) { [self] in
            do {
                if opensFirst { await open(running) }
                try await work(running.client, id)
                tell("  process \(running.number): \(call.rawValue) of \(person) ok")
            } catch {
                tell("  process \(running.number): \(call.rawValue) of \(person): \(error)")
                checkEnd(of: id, error, running)
            }
            state.withLock { state in
                if [.refresh, .stay].contains(call) { state.forced[running.number] = machine.now }
                state.calls[id] = nil
                state.tasks[id] = nil
            }
        }
        state.withLock { state in
            if state.calls[id] != nil { state.tasks[id] = task }
        }
        return id
    }

    /// Cancels the call, if it has not returned.
    func cancel(_ id: Int) {
        guard let task = state.withLock({ state in state.calls[id].flatMap { _ in state.tasks[id] } }) else { return }
        tell("call \(id) is cancelled")
        state.withLock { _ = $0.cancelled.insert(id) }
        task.cancel()
    }

    /// Law 7: whoever is cancelled returns before any time passes.
    func checkCancelled() {
        let waiting = state.withLock { state in
            state.cancelled.isEmpty ? [:] : state.calls.filter { state.cancelled.contains($0.key) }
        }
        for (_, call) in waiting where running.contains(where: { $0.number == call.process }) {
            // A sign-in waits for its turn where a revocation may end other grants, and is not called out of the queue.
            let isSignIn = [.signIn, .askCode, .answerCode, .adopt, .verify].contains(call.call)
            if scenario.reachesFurther, isSignIn { continue }
            violate(7, "\(call.call.rawValue) in process \(call.process) was cancelled, and goes on waiting")
        }
    }

    /// Law 7: whoever was not cancelled is not told so.
    private func checkEnd(of id: Int, _ error: any Error, _ running: Running) {
        guard !running.process.isKilled, !state.withLock({ $0.cancelled.contains(id) }) else { return }
        if (error as? AuthError)?.code == .cancelled || error is CancellationError {
            violate(7, "a call in process \(running.number) that nobody cancelled ended as cancelled")
        }
    }

    /// The refresh token of a session that the person has elsewhere, as long as that one is alive.
    private func other(of person: String) -> String {
        if let known = state.withLock({ $0.others[person] }), let family = service.family(ofRefreshToken: known),
            service.families[family].death == nil
        {
            return known
        }
        let refresh = service.grantElsewhere(to: person)
        state.withLock { $0.others[person] = refresh }
        return refresh
    }

    /// Law 9: two requests for one, at most.
    private func request(_ client: AuthClient, _ id: Int, _ running: Running, _ account: AccountID) async throws {
        let counted = CountedTransport(inner: wire(of: running.process)) { [self] in
            state.withLock { state in
                state.requests[id, default: 0] += 1
                return state.requests[id, default: 0]
            }
        }
        let api = try client.authorized(counted, origins: ["https://api.example.com"], account: account)
        let request = TransportRequest("GET", "https://api.example.com/notes")
        defer {
            let sent = state.withLock { $0.requests[id] ?? 0 }
            if sent > 2 { violate(9, "one request was sent \(sent) times") }
        }
        _ = try await api.send(request, deadline: .seconds(30))
    }

    private func signOut(_ client: AuthClient, _ running: Running, _ person: String) async throws {
        let (before, entered) = state.withLock { state in
            (state.records[person], state.isEntering ? nil : state.entering[person, default: 0])
        }
        let result = try await client.signOut(of: account(person))
        guard result != .nothingToDo, let before, before.credential != nil, !running.process.isKilled else { return }
        // Somebody may have signed in anew between the look and the sign-out: then the new one is meant.
        state.withLock { state in
            let now = state.records[person]
            guard now?.credential == nil || now?.login != before.login else { return }
            if let family = state.families[before.login] { state.signedOut[family] = machine.elapsed }
            state.left[running.number, default: [:]][person] = entered
        }
    }

    /// Who is signed in, by the store: person and login.
    var lives: [String: String] {
        state.withLock { state in
            state.records.compactMapValues { $0.credential == nil ? nil : $0.login }
        }
    }
}

private struct CountedTransport: HTTPTransport {
    let inner: any HTTPTransport
    let count: @Sendable () -> Int

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        _ = count()
        return try await inner.send(request, deadline: deadline)
    }
}
