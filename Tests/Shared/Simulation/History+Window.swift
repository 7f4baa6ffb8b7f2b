import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// What a button of the app's window does: the call that `AuthModel` makes for it, and whether cancel ends it.
///
/// The model itself runs on the main actor, which the simulation's executor cannot order. So the simulation makes its
/// calls, one at a time in each process as the model does; `RandomWalkTests` walks through the model itself.
enum Intent: String, CaseIterable, Sendable {
    case signIn, askCode, answerCode, signOut, switchAccount, unlock, stay, restore

    var call: Call {
        switch self {
        case .signIn: .signIn
        case .askCode: .askCode
        case .answerCode: .answerCode
        case .signOut: .signOut
        case .switchAccount: .switchAccount
        case .unlock: .unlock
        case .stay: .stay
        case .restore: .restore
        }
    }

    /// As `ModelActivity.isCancellable` says.
    var isCancellable: Bool {
        switch self {
        case .signIn, .askCode, .answerCode, .unlock, .stay: true
        case .signOut, .switchAccount, .restore: false
        }
    }
}

/// The window of each process.
extension History {
    struct Window {
        /// The call that its intent under way has made.
        var underWay: (call: Int, intent: Intent)?
        /// How many events the client has told.
        var news = 0
        /// How many of them the window had heard when it looked last, and what it saw.
        var looked = 0
        var seen: [String] = []
    }

    /// The person taps. While an intent is under way, it is the same again, or cancel.
    func tap(_ running: Running, _ person: String) {
        openWindow(running)
        guard underWay(running) == nil else { return tapAgain(running) }
        let intent = Intent.allCases[draw(Intent.allCases.count)]
        count("intent \(intent.rawValue)")
        let id = perform(intent.call, running, person)
        state.withLock { $0.windows[running.number]?.underWay = (id, intent) }
        // Somebody in a hurry.
        guard draw(2) == 0 else { return }
        for _ in 0..<draw(25) { advance() }
        tapAgain(running)
    }

    private func underWay(_ running: Running) -> (call: Int, intent: Intent)? {
        state.withLock { state in
            state.windows[running.number]?.underWay.flatMap { state.calls[$0.call] == nil ? nil : $0 }
        }
    }

    /// The second tap begins nothing. Cancel ends what can be cancelled.
    private func tapAgain(_ running: Running) {
        guard let (call, intent) = underWay(running) else { return }
        guard draw(2) == 0, intent.isCancellable else { return count("intent twice") }
        count("intent cancel")
        cancel(call)
        state.withLock { $0.windows[running.number]?.underWay = nil }
    }

    /// Follows the client from now on: at each event it asks who is signed in.
    private func openWindow(_ running: Running) {
        // To name an account is no event.
        guard !state.withLock({ $0.naming.contains(running.number) }) else { return }
        let isNew = state.withLock { state in
            defer { if state.windows[running.number] == nil { state.windows[running.number] = Window() } }
            return state.windows[running.number] == nil
        }
        guard isNew else { return }
        let events = running.client.events
        machine.executor.start { [weak self, client = running.client] in
            await self?.look(client, running.number)
            for await _ in events { await self?.look(client, running.number) }
        }
    }

    private func look(_ client: AuthClient, _ number: Int) async {
        let news = state.withLock { $0.windows[number]?.news ?? 0 }
        let seen = await Self.shown(by: client)
        state.withLock { state in
            guard var window = state.windows[number], news >= window.looked else { return }
            (window.looked, window.seen) = (news, seen)
            state.windows[number] = window
        }
    }

    /// What a window shows of who is signed in: as `ModelState`, with the accounts.
    private static func shown(by client: AuthClient) async -> [String] {
        let accounts: [Account]
        do throws(AuthError) { accounts = try await client.accounts() } catch {
            return [client.isLocked ? "locked" : "unreadable"]
        }
        if client.isLocked { return ["locked"] }
        return accounts.map { account in
            let phase =
                switch account.state {
                case .offline: "offline"
                case .signInRequired: "sign in again"
                case .signedOut: "signed out"
                case .locked: "locked"
                default: "signed in"
                }
            return "\(account.isCurrent ? "*" : "")\(account.id.value) \(phase)"
        }
    }

    /// Law 21: a window that looks at each event shows what the client says.
    func checkWindows() {
        for running in running where !running.process.isKilled {
            guard let window = state.withLock({ $0.windows[running.number] }) else { continue }
            machine.executor.start { [weak self, client = running.client] in
                let said = await Self.shown(by: client)
                guard let self, !running.process.isKilled else { return }
                let now = state.withLock { $0.windows[running.number] }
                // Something happened since: the window is about to look again. A store that cannot be read tells nothing.
                guard now?.news == window.news, said != ["unreadable"], window.seen != ["unreadable"] else { return }
                if said != window.seen {
                    violate(21, "the window of process \(running.number) shows \(window.seen), and it is \(said)")
                }
            }
        }
        drain(seconds: 1)
    }
}
