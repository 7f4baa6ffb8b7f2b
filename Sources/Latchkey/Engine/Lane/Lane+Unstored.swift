/// Step 9: what the store has not taken is kept, and tried again until the store takes it.
extension Lane {
    /// Keeps `change`, and the lane with it if every request needs what is not stored.
    func keep(_ change: UnstoredChanges.Change) {
        unstored.add(change)
        setAlarmForUnstored()
    }

    private func setAlarmForUnstored() {
        let pause = Backoff.brief.pause(after: unstored.failures + 1, jitter: context.jitter)
        accounts.alarm.set(.save(key), at: clock.now() + pause)
    }

    /// Tries again, in turn with the exchanges of this process. Called by the alarm.
    func storeUnstoredInTurn() async {
        let ticket = await enter()
        await storeUnstored()
        leave(ticket)
    }

    /// Tries again to store what could not be stored. Called in turn: by the alarm, and before any further refresh.
    func storeUnstored() async {
        // Without the lock, another process may send the token that is spent.
        if let lost = unstored.takeLostHold() {
            await lost.release()
            if let hold = try? await hold(deadline: .zero), !unstored.keep(hold) { await hold.release() }
        }
        for change in unstored.list {
            if await pay(change) { unstored.remove(change.id) }
        }
        if let hold = unstored.takeHold() { await hold.release() }
        unstored.noteRound()
        if !unstored.isEmpty { setAlarmForUnstored() }
    }

    /// Whether `change` is stored now, or no longer wanted.
    private func pay(_ change: UnstoredChanges.Change) async -> Bool {
        // Paying an earlier change may have removed this one.
        guard unstored.contains(change.id) else { return true }
        switch change {
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
            if unstored.hold == nil {
                guard let hold = try? await hold(deadline: .zero) else { return false }
                if !unstored.keep(hold) { await hold.release() }
            }
            return await hasReplaced(old, of: id, by: new)
        case .answer(let answer, let want): return await storeAgain(answer, want)
        }
    }

    /// Others have come in on a credential that they share, so the sign-in has no place here: it goes to the key of its
    /// own account. Returns whether it is there, stored or waiting, or no longer wanted.
    private func move(_ waiting: UnstoredChanges.UnstoredSignIn) async -> Bool {
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
