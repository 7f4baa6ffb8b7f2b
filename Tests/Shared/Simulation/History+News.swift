import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// What a client tells of being offline and of tokens that end soon, against what its requests found.
extension History {
    /// What one process found out and told about one account.
    struct News {
        /// How many requests about its credential have failed since one succeeded.
        var failures = 0
        /// Whether one has failed and it has not told yet that it is offline: what failed is written down before it is told,
        /// and another request may succeed meanwhile.
        var hasUntoldFailure = false
        /// Whether it has told of a token since it told that it is offline. Before, the answer that ends it may wait to be
        /// stored, and what else changes of the account is told.
        var hasToken = false
        /// Since when it has told that it is offline.
        var offlineAt: MonotonicInstant?
        /// The token that it warned of last, and whether it did since the last news of a token.
        var warnedOf: String?
        var hasWarned = false
        /// Before when the identity service wants to hear nothing, and of which login that was told.
        var rest: Rest?

        struct Rest {
            var since: MonotonicInstant
            var until: MonotonicInstant
            var login: String?
        }
    }

    /// The longest that an account may be shown without contact.
    private static let grace = EngineSettings().offlineGrace
    /// How long before its end a token of the simulated service counts as stale.
    private static let window = Duration.seconds(150)

    /// A request about a credential was answered, or failed (`nil`).
    ///
    /// - Parameter login: Whose token it was when it was sent.
    func noteAnswer(
        _ token: String, of login: String?, _ response: TransportResponse?, by process: SimulatedProcess
    ) {
        guard !process.isKilled, let family = service.family(ofRefreshToken: token) else { return }
        let person = service.families[family].subject
        let key = resting(person, process)
        let words = response.map { String(decoding: $0.body, as: UTF8.self).split(separator: " ") } ?? []
        if words.last == "disagrees" {
            // The service has answered, and there is still no token: who was offline stays so.
            if rotates { noteContact(person) }
            return
        }
        if response?.status == 200, words.count > 2 {
            noteContact(person)
            state.withLock { $0.news[key, default: News()].failures = 0 }
            return
        }
        let rest = response.flatMap { RetryAfter.read($0.fields, now: machine.wall) }
        let now = machine.now
        state.withLock { state in
            state.news[key, default: News()].failures += 1
            state.news[key, default: News()].hasUntoldFailure = true
            if let rest {
                state.news[key, default: News()].rest = News.Rest(since: now, until: now + rest, login: login)
            }
        }
    }

    /// A look at a client failed, which may be all that a refresh of anybody's got.
    func noteFailedLook(by process: SimulatedProcess) {
        guard !process.isKilled else { return }
        for key in Self.people.map({ resting($0, process) }) {
            state.withLock { state in
                state.news[key, default: News()].failures += 1
                state.news[key, default: News()].hasUntoldFailure = true
            }
        }
    }

    private func resting(_ person: String, _ process: SimulatedProcess) -> Resting {
        Resting(process: state.withLock { $0.numbers[process.number] } ?? 0, account: account(person))
    }

    /// Somebody signed in.
    func noteContact(_ request: String, _ response: TransportResponse, by process: SimulatedProcess) {
        guard !process.isKilled, response.status == 200, let person = request.split(separator: " ").last else { return }
        noteContact(String(person))
    }

    private func noteContact(_ person: String) {
        let (elapsed, account) = (machine.elapsed, account(person))
        state.withLock { state in
            // What the store does not take, others cannot know.
            state.contact[person] = state.hasStoreTrouble ? nil : elapsed
            for key in state.news.keys where key.account == account { state.news[key]?.rest = nil }
        }
    }

    /// Law 19: no refresh that nobody asked for leaves before the service wants one.
    ///
    /// - Returns: The login that the token belongs to; `nil` for one that has ended: what is owed for it has pauses of its
    ///   own.
    func checkRest(_ token: String, by process: SimulatedProcess) -> String? {
        guard !process.isKilled, let family = service.family(ofRefreshToken: token) else { return nil }
        let person = service.families[family].subject
        guard let record = state.withLock({ $0.records[person] }), secret(of: record) == token else { return nil }
        checkPause(record, token)
        let resting = resting(person, process)
        guard let rest = state.withLock({ $0.news[resting]?.rest }), rest.login == record.login,
            machine.now < rest.until
        else { return record.login }
        // Tokens are minted side by side: what was on its way before the answer came leaves all the same.
        let mints = scenario.kind == .mints || scenario.kind == .shares
        if mints, machine.now - rest.since < .seconds(10) { return record.login }
        // What a caller has forced goes on after that caller has left, for as long as it may wait for its turn.
        let isForced = state.withLock { state in
            state.calls.values.contains { [.refresh, .stay].contains($0.call) && $0.process == resting.process }
                || state.forced[resting.process].map { machine.now - $0 < .seconds(70) } ?? false
        }
        if !isForced {
            violate(19, "\(token) was sent \(rest.until - machine.now) before the service wanted to be asked")
        }
        return record.login
    }

    /// Law 19: a pause that is in the record holds for every process, also for one in which somebody forces a refresh.
    private func checkPause(_ record: CredentialRecord, _ token: String) {
        guard let pause = record.live?.pause, pause.since.boot == machine.boot else { return }
        let age = machine.now - pause.since.at
        // A request that was prepared before the pause was stored leaves within its deadline, or not at all.
        guard age > .seconds(70), age < pause.lasts else { return }
        violate(19, "\(token) was sent \(pause.lasts - age) before the end of a pause that is in the record")
    }

    /// A client told something.
    func hear(_ event: AuthEvent, _ number: Int) {
        hearWord(event, number)
        switch event {
        case .stateChanged(let account, let told): hear(told, of: Resting(process: number, account: account))
        case .refreshed(let account, _), .signedIn(let account), .signedOut(let account, _):
            state.withLock { state in
                let key = Resting(process: number, account: account)
                state.news[key]?.hasWarned = false
                // A refresh may have failed before the sign-in was told, and its state was told first.
                if case .signedIn = event, state.words[key] == .offline { return }
                state.news[key]?.hasToken = true
                if case .refreshed = event { return }
                // A sign-out that could not be stored may bring the token back, with the person: that is told anew.
                if case .signedOut = event { state.news[key]?.warnedOf = nil }
                state.news[key]?.offlineAt = nil
                state.news[key]?.rest = nil
            }
        case .expiring(let account, let expiry): hearWarning(expiry.rest, Resting(process: number, account: account))
        default: break
        }
        state.withLock { $0.windows[number]?.news += 1 }
    }

    private func hear(_ told: AccountState, of key: Resting) {
        guard case .offline = told else { return state.withLock { $0.news[key]?.offlineAt = nil } }
        let now = machine.now
        let hasFailed = state.withLock { state in
            var news = state.news[key] ?? News()
            defer { state.news[key] = news }
            let isStill = news.offlineAt != nil && !news.hasToken
            let hasFailed = news.failures > 0 || news.hasUntoldFailure
            news.offlineAt = news.offlineAt ?? now
            (news.hasUntoldFailure, news.hasToken) = (false, false)
            return hasFailed || isStill
        }
        if !hasFailed { violate(19, "process \(key.process) told that it is offline, and no request has failed") }
    }

    /// Law 20: a warning is told once for a token, in its last quarter, and never of one that was replaced.
    private func hearWarning(_ rest: Duration, _ key: Resting) {
        guard let running = running.first(where: { $0.number == key.process }), !running.process.isKilled else {
            return
        }
        let token = running.client.currentToken(of: key.account)
        let text = token?.value.revealText()
        let (isRepeated, person) = state.withLock { state in
            var news = state.news[key] ?? News()
            let isRepeated = news.hasWarned || (text != nil && news.warnedOf == text)
            (news.hasWarned, news.warnedOf) = (true, text)
            state.news[key] = news
            return (isRepeated, Self.people.first { self.account($0) == key.account })
        }
        if isRepeated { violate(20, "process \(key.process) warned of \(text ?? "the same token") again") }
        if let person, isSurelyOut(person, of: running) {
            violate(20, "process \(key.process) warned of a token, and \(person) is signed out there")
        }
        guard let token, let text, let truth = service.access(text) else { return }
        // Of another boot, and the wall clock was set between the two: nothing on the machine knows better.
        if token.lifetime?.boot != machine.boot, state.withLock({ $0.hasTurnedWall }) { return }
        let left = truth.ends - machine.elapsed
        // The client counts from when its request left, a minute ago at most.
        if left > Self.window + .seconds(80) || rest > Self.window {
            violate(20, "process \(key.process) warned of \(text), which lasts for \(left)")
        }
    }

    /// Law 19: the first refresh that succeeds ends being offline, before its caller goes on.
    func checkOnline(_ token: AccessToken, of running: Running, _ account: AccountID) {
        let key = Resting(process: running.number, account: account)
        // What a store that cannot be read would say of the new token is not known, and the caller got the one before.
        guard !running.process.isKilled, let news = state.withLock({ $0.hasStoreTrouble ? nil : $0.news[key] }),
            news.offlineAt != nil, news.failures == 0
        else { return }
        violate(19, "process \(running.number) refreshed for \(account.value), and still says that it is offline")
    }

    /// Law 19: within the grace, who is offline is unreachable; after it, the grace is over.
    func checkGrace(_ error: any Error, of running: Running, _ person: String) {
        guard !running.process.isKilled, case .offline(let reason)? = (error as? AuthError)?.code,
            let silence = silence(person)
        else { return }
        let isTold = state.withLock {
            $0.news[Resting(process: running.number, account: account(person))]?.offlineAt != nil
        }
        // An answer that has just come is on its way into the store, from where other processes know of it.
        if reason == .graceOver, scenario.kind != .shares, silence < Self.grace - Self.grace / 40,
            silence > .seconds(60)
        {
            violate(19, "the grace of \(person) was over after \(silence)")
        }
        if reason == .unreachable, isTold, silence > Self.grace + Self.grace / 40 {
            violate(19, "after \(silence), the grace of \(person) is not over")
        }
    }

    /// Law 19: names can be read while the grace lasts, and not after it.
    func checkNames(_ accounts: [Account], by running: Running) {
        guard !running.process.isKilled, scenario.gate == .none, dialect is PlainDialect else { return }
        for person in Self.people {
            guard let account = accounts.first(where: { $0.id == self.account(person) }), let silence = silence(person)
            else { continue }
            // Where several people share a credential, only who mints knows of it. An answer that has just come is on its
            // way into the store.
            if account.label == nil, scenario.kind != .shares, silence < Self.grace - Self.grace / 40,
                silence > .seconds(60)
            {
                violate(19, "the name of \(person) is not to be read after \(silence)")
            }
            if account.label != nil, case .offline = account.state, silence > Self.grace + Self.grace / 40 {
                violate(19, "the name of \(person) is to be read after \(silence)")
            }
        }
    }

    /// How long the service has not answered about `person`, if the machine can know that.
    private func silence(_ person: String) -> Duration? {
        state.withLock { state in
            guard !state.hasTurnedWall, let contact = state.contact[person] else { return nil }
            return machine.elapsed - contact
        }
    }
}
