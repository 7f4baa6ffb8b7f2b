import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// Law 23: the state of an account, the last event about it and a call for its token say the same.
extension History {
    /// What an account is said to be, without how long its token lasts.
    enum Word: Hashable, Sendable, CustomStringConvertible {
        case signedIn, offline, signedOut
        case signInRequired(AuthError.SignInRequiredReason)

        /// `nil` for what says nothing about the account.
        init?(_ state: AccountState) {
            switch state {
            case .fresh, .stale: self = .signedIn
            case .offline: self = .offline
            case .signedOut: self = .signedOut
            case .signInRequired(let reason): self = .signInRequired(reason)
            default: return nil
            }
        }

        /// `nil` for an error that says nothing about the account: a store or another process stood in the way.
        init?(_ result: Result<AccessToken, AuthError>) {
            switch result {
            case .success: self = .signedIn
            case .failure(let error):
                switch error.code {
                case .offline, .serviceTrouble, .rateLimited: self = .offline
                case .signInRequired(.signedOut): self = .signedOut
                case .signInRequired(let reason): self = .signInRequired(reason)
                default: return nil
                }
            }
        }

        var description: String {
            switch self {
            case .signedIn: "signed in"
            case .offline: "offline"
            case .signedOut: "signed out"
            case .signInRequired(let reason): "sign-in required (\(reason))"
            }
        }

        /// Whether a state may say this while a call returns a token.
        var hasToken: Bool {
            switch self {
            case .signedIn, .offline: true
            case .signedOut, .signInRequired: false
            }
        }
    }

    /// Takes down what an event says.
    func hearWord(_ event: AuthEvent, _ number: Int) {
        let heard: (account: AccountID, word: Word?)
        switch event {
        case .stateChanged(let account, let told): heard = (account, Word(told))
        case .signedIn(let account): heard = (account, .signedIn)
        case .signedOut(let account, _): heard = (account, .signedOut)
        // What changed while it was locked is not told account by account.
        case .locked, .unlocked:
            return state.withLock { state in state.words = state.words.filter { $0.key.process != number } }
        default: return
        }
        state.withLock { state in
            let key = Resting(process: number, account: heard.account)
            // Somebody who signs in while the service cannot be reached for the rest is offline.
            if case .signedIn = event, state.words[key] == .offline { return }
            state.words[key] = heard.word
        }
    }

    /// A call for a token has just returned: the account's state says what it says, if nothing else is under way.
    func checkWords(_ result: Result<AccessToken, AuthError>, _ id: Int, of running: Running, _ account: AccountID) {
        guard let said = Word(result), !running.process.isKilled, !running.client.isLocked,
            running.client.exchangesUnderWay.isEmpty,
            !state.withLock({ $0.calls.contains { $0.key != id && $0.value.process == running.number } }),
            let now = word(of: account, in: running)
        else { return }
        count("words compared")
        // A pause that another process was told, or its request, keeps a call waiting; by law 19 that is not offline.
        let isHeldOff =
            said == .offline && now == .signedIn && (failures(running, account) == 0 || isRateLimited(result))
        if said == .signedIn ? !now.hasToken : now != said, !isHeldOff {
            violate(23, "a call of process \(running.number) for \(account.value) says \(said), its state \(now)")
        }
    }

    /// When nothing is under way and nothing is due: each account is what was told of it last.
    func checkTold() {
        guard !machine.isDue else { return }
        for running in running where !running.process.isKilled && !running.client.isLocked {
            let told = state.withLock { state in state.words.filter { $0.key.process == running.number } }
            for (key, word) in told {
                guard let now = self.word(of: key.account, in: running), now != word else { continue }
                violate(23, "process \(running.number) told that \(key.account.value) is \(word), and it is \(now)")
            }
        }
    }

    private func word(of account: AccountID, in running: Running) -> Word? {
        guard let known = running.client.knownAccounts.first(where: { $0.id == account }) else { return .signedOut }
        return Word(known.state)
    }

    /// A time that the service has named keeps a call waiting, though another process was answered since.
    private func isRateLimited(_ result: Result<AccessToken, AuthError>) -> Bool {
        if case .failure(let error) = result { error.code == .rateLimited } else { false }
    }

    /// How many requests of the process about the account have failed since one succeeded.
    private func failures(_ running: Running, _ account: AccountID) -> Int {
        state.withLock { $0.news[Resting(process: running.number, account: account)]?.failures ?? 0 }
    }
}
