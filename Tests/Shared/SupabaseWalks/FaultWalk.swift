import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// One flow at one service, of which one request meets a fault, and what became of it.
struct FaultWalk: Sendable {
    let service: WalkedService
    let flow: PersonFlow
    let fault: ServiceFault?
    let place: Int
    /// The requests that the flow made.
    private(set) var requests = 0
    private(set) var lost: [String] = []
    private(set) var untrue: [String] = []

    init(_ service: WalkedService, _ flow: PersonFlow, _ fault: ServiceFault? = nil, at place: Int = 0) {
        (self.service, self.flow, self.fault, self.place) = (service, flow, fault, place)
    }

    var name: String { "\(service.setting.name)/\(flow.name)/\(fault?.rawValue ?? "none")/\(place)" }

    /// Walks on one thread. When nothing is left to do, time passes up to what is waited for.
    mutating func walk() {
        let executor = SeededExecutor(seed: 1)
        let walked = Locked<FaultWalk?>(nil)
        executor.start { [self] in
            var walk = self
            do { try await walk.walk(on: executor) } catch { walk.lost.append("the walk did not begin: \(error)") }
            let ended = walk
            walked.withLock { $0 = ended }
        }
        while walked.withLock({ $0 == nil }) {
            if !executor.step(), service.clock.advanceToNextSleeper() == nil {
                return lost.append("the walk waits for ever")
            }
        }
        self = walked.withLock { $0 } ?? self
    }

    private mutating func walk(on executor: SeededExecutor) async throws {
        let person = try WalkedPerson(service, executor, asksForFactors: flow.asksForFactors)
        if case .failed(let error) = await person.doing(nil, at: 0, flow.prepare) { throw error }
        let before = await person.session()
        person.note("session", before ?? "")
        let line = person.line
        let told = await person.doing(fault, at: place, flow.act)
        requests = line.count
        person.note("met", line.met ?? "")
        if case .killed = told { try await person.startAnew() }
        let isDone = await flow.isDone(person)
        await judge(told, person, before, isDone: isDone)
        if flow.kind == .signOut { return await judgeEnd(person) }
        await judgeUse(told, person)
    }

    // MARK: What was told

    private mutating func judge(
        _ told: WalkedPerson.Told, _ person: WalkedPerson, _ before: String?, isDone: Bool
    ) async {
        let lives = before.map(service.accepts) ?? false
        switch told {
        case .killed: break
        case .done: if flow.kind != .signOut, !isDone { untrue.append("told as done, and is not") }
        case .failed(let error):
            switch error.code {
            case .configuration(.clientRefused) where fault?.refusesKey == true: break
            case .offline where fault?.refusesKey == true, .serviceTrouble where fault?.refusesKey == true:
                untrue.append("the key was refused, and it is told as \(error.code.name): \(error.message)")
            case .offline, .serviceTrouble, .rateLimited, .busy: break
            case .signInRequired where before != nil && !lives && isAllowedLoss(person): break
            default: untrue.append("told as \(error.code.name): \(error.message)")
            }
        }
        guard flow.kind != .signOut else { return }
        let accounts = (try? await person.client.accounts()) ?? []
        if lives, accounts.isEmpty { untrue.append("nobody is signed in, and the service has the session") }
        if lives, accounts.contains(where: { if case .signInRequired = $0.state { true } else { false } }) {
            untrue.append("a sign-in is required, and the service has the session")
        }
        if case .failed = told, flow.kind == .signIn, !accounts.isEmpty {
            untrue.append("told as failed, and somebody is signed in")
        }
        for _ in 0..<20 { await Task.yield() }
        switch person.events.last {
        case .authenticationRequired where lives, .signedOut where lives:
            untrue.append("the last event says that the session is over")
        default: break
        }
    }

    /// Whether the service itself ends a session so: at a project that forgives nothing, the one request whose lost answer
    /// nothing brings back is the one that the flow names.
    private func isAllowedLoss(_ person: WalkedPerson) -> Bool {
        guard let last = flow.forgivenFor, service.setting.interval == 0 else { return false }
        return fault?.reachesService == true && person.note("met").hasSuffix(last)
    }

    // MARK: What is left

    private mutating func judgeUse(_ told: WalkedPerson.Told, _ person: WalkedPerson) async {
        if flow.kind == .signIn, await person.session() == nil {
            if let error = await retried(person, flow.again ?? flow.act) {
                return lost.append("no sign-in afterwards: \(error.code.name): \(error.message)")
            }
        }
        guard let session = await person.session() else { return lost.append("nobody is signed in") }
        // The person comes back when the service forgives nothing any more. Another process is there at once.
        if case .killed = told {} else if flow.kind != .signIn { service.clock.advance(by: .seconds(61)) }
        if let error = await retried(person, { try await $0.client.refresh() }) {
            if case .signInRequired = error.code, isAllowedLoss(person) { return }
            return lost.append("no token afterwards: \(error.code.name): \(error.message)")
        }
        if case .failed = told, flow.kind != .signIn {
            if await !flow.isDone(person), let error = await retried(person, flow.again ?? flow.act) {
                lost.append("cannot be done afterwards: \(error.code.name): \(error.message)")
            } else if await !flow.isDone(person) {
                untrue.append("told as done afterwards, and is not")
            }
        }
        service.clock.advance(by: .seconds(7_200))
        guard let error = await retried(person, { try await $0.client.refresh() }) else { return }
        if case .signInRequired = error.code, service.isOverTime(session) { return }
        lost.append("no token after two hours: \(error.code.name): \(error.message)")
    }

    /// Does `step`, and once more after a rest if the service was not to be had. Returns the last error.
    private func retried(_ person: WalkedPerson, _ step: @escaping PersonFlow.Step) async -> AuthError? {
        guard case .failed(let error) = await person.doing(nil, at: 0, step) else { return nil }
        guard error.recovery == .retryLater else { return error }
        service.clock.advance(by: error.retryAfter ?? .seconds(61))
        guard case .failed(let last) = await person.doing(nil, at: 0, step) else { return nil }
        return last
    }

    private mutating func judgeEnd(_ person: WalkedPerson) async {
        if person.note("result") == "\(SignOutResult.revoked)", await !flow.isDone(person) {
            untrue.append("told as revoked, and the session lives")
        }
        // A process that died before it had stored anything leaves the person signed in.
        if await person.session() != nil {
            if let error = await retried(person, flow.act) {
                return lost.append("no sign-out afterwards: \(error.code.name): \(error.message)")
            }
        }
        service.clock.advance(by: .seconds(61))
        _ = await person.doing(nil, at: 0) { try await $0.client.settleRevocations() }
        if await !flow.isDone(person) {
            lost.append("the sign-out is owed no more, and the session lives")
        }
        if await person.session() != nil { untrue.append("signed out, and somebody is signed in") }
    }
}
