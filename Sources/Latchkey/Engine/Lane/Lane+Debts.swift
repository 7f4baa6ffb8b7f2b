/// Step 9: what the store has not taken is kept, and tried again until the store takes it.
extension Lane {
    /// Keeps `debt`, and the lane with it if every request needs what is not stored.
    func keep(_ debt: Debts.Debt) {
        debts.add(debt)
        setAlarmForDebts()
    }

    private func setAlarmForDebts() {
        let pause = Backoff.brief.pause(after: debts.failures + 1, jitter: context.jitter)
        accounts.alarm.set(.save(key), at: clock.now() + pause)
    }

    /// Tries again, in turn with the exchanges of this process. Called by the alarm.
    func payDebtsInTurn() async {
        let ticket = await enter()
        await payDebts()
        leave(ticket)
    }

    /// Tries again to store what could not be stored. Called in turn: by the alarm, and before any further refresh.
    func payDebts() async {
        for debt in debts.list {
            if await pay(debt) { debts.remove(debt.id) }
        }
        if let hold = debts.takeHold() { await hold.release() }
        debts.noteRound()
        if !debts.isEmpty { setAlarmForDebts() }
    }

    /// Whether `debt` is stored now, or no longer wanted.
    private func pay(_ debt: Debts.Debt) async -> Bool {
        // Paying an earlier debt may have removed this one.
        guard debts.contains(debt.id) else { return true }
        switch debt {
        case .signOut(let account, let login, let scope, let cause):
            return (try? await end(login, of: account, scope: scope, as: cause)) != nil
        case .signIn(let waiting):
            do {
                let isStored = try await signIn(waiting.credential, login: waiting.login, contact: waiting.offset)
                return isStored ? true : await move(waiting)
            } catch {
                return error.code == .signInRequired(.signedOut)
            }
        case .token(let old, let id, let new):
            if debts.hold == nil {
                guard let hold = try? await hold(deadline: .zero) else { return false }
                if !debts.keep(hold) { await hold.release() }
            }
            return await hasReplaced(old, of: id, by: new)
        case .answer(let answer, let want): return await storeAgain(answer, want)
        }
    }

    /// Others have come in on a credential that they share, so the sign-in has no place here: it goes to the key of its
    /// own account. Returns whether it is there, stored or waiting, or no longer wanted.
    private func move(_ waiting: Debts.UnstoredSignIn) async -> Bool {
        guard let account = waiting.credential.sessions.first?.account else { return true }
        var place: StoreKey?
        var isOver = false
        do throws(AuthError) {
            place = try await placeElsewhere(
                waiting.credential, of: account, login: waiting.login, contact: waiting.offset, owing: [])
        } catch {
            isOver = error.code == .signInRequired(.signedOut)
            // If the store did not take it there, it waits there, and not here any more.
            place = accounts.entry(account).flatMap { $0.login == waiting.login && $0.key != key ? $0.key : nil }
        }
        // A sign-out meanwhile found it in this lane.
        if let place, place != key, logins.hasEnded(waiting.login) {
            await signOutElsewhere(account, login: waiting.login, at: place)
        }
        return place != nil || isOver
    }
}
