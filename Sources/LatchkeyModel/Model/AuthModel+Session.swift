import FoundationEssentials
public import Latchkey

/// Who is signed in: at launch, and whenever the client tells of a change.
@available(macOS 14, iOS 17, *)
extension AuthModel {
    /// Reads who is signed in, and follows the client from now on. Call it once, when the window opens.
    ///
    /// - Returns: `done` also if the store is locked: ``state`` says so. `failed` if the store could
    ///   not be read. `notNow` for a second call.
    @discardableResult
    public func start() async -> IntentResult {
        guard !isFollowing else { return underWay == nil ? .notNow : .alreadyUnderWay }
        isFollowing = true
        let events = client.events
        context.start("events") { [weak self] in
            for await event in events {
                guard let self else { return }
                await hear(event)
            }
        }
        return await restore()
    }

    /// Reads the store once more, in the state ``ModelState/unavailable``.
    @discardableResult
    public func tryAgain() async -> IntentResult {
        guard underWay == nil else { return .alreadyUnderWay }
        guard state == .unavailable else { return .notNow }
        move(to: .restoring)
        return await restore()
    }

    private func restore() async -> IntentResult {
        notice = nil
        let result = await perform(.restoring) { client throws(AuthError) in try await client.restore() }
        await look()
        guard case .failure(let error) = result, error.code != .locked else { return .done }
        return shown(error) { await $0.tryAgain() }
    }

    /// Signs out.
    ///
    /// - Parameters:
    ///   - account: The account; `nil` means the current one.
    ///   - scope: Which sessions the service ends.
    @discardableResult
    public func signOut(of account: AccountID? = nil, scope: SignOutScope = .thisSession) async -> IntentResult {
        await change(.signingOut, again: { await $0.signOut(of: account, scope: scope) }) {
            client throws(AuthError) in _ = try await client.signOut(of: account, scope: scope)
        }
    }

    /// Makes `account` the current one.
    @discardableResult
    public func switchTo(_ account: AccountID) async -> IntentResult {
        await change(.switchingAccount, again: { await $0.switchTo(account) }) {
            client throws(AuthError) in try await client.switchAccount(to: account)
        }
    }

    /// Prolongs the session of the current account: the button of ``expiryWarning`` if its
    /// ``ExpiryWarning/remedy`` is `refresh`. An end that only a new sign-in can move stays announced.
    @discardableResult
    public func staySignedIn() async -> IntentResult {
        let result = await change(.stayingSignedIn, again: { await $0.staySignedIn() }) {
            client throws(AuthError) in _ = try await client.refresh()
        }
        if result == .done, expiryWarning?.remedy == .refresh { expiryWarning = nil }
        return result
    }

    /// Of two ends, the earlier one is shown.
    private func warn(_ account: AccountID, of expiry: Expiry) {
        let warning = ExpiryWarning(account: account, end: context.clock.now() + expiry.rest, cause: expiry.cause)
        if let shown = expiryWarning, shown.account == account, shown.end < warning.end { return }
        expiryWarning = warning
    }

    /// Whether the session of the current account ends later than `warning` says, or never by itself: a stronger proof
    /// may bring another session. The client warns anew of an end that is more than half a minute away from the last one.
    private func hasMoved(_ warning: ExpiryWarning) -> Bool {
        guard warning.remedy == .signIn else { return false }
        guard let until = person?.sessionUntil else { return true }
        let rest = warning.end - context.clock.now() + .seconds(30)
        return until > context.clock.wall().addingTimeInterval(rest / .seconds(1))
    }

    /// Runs an intent that changes who is signed in, or whether it is locked.
    func change(
        _ activity: ModelActivity, again: @escaping @MainActor (AuthModel) async -> IntentResult,
        _ work: @escaping @Sendable (AuthClient) async throws(AuthError) -> Void
    ) async -> IntentResult {
        guard underWay == nil else { return .alreadyUnderWay }
        notice = nil
        let result = await perform(activity, work)
        await look()
        switch result {
        case .success: return .done
        case .failure(let error): return shown(error, again: again)
        }
    }

    /// Asks the client who is signed in, and moves there. Reads the store only if it was never read.
    func look() async {
        numbers.look += 1
        let number = numbers.look
        let found: Result<[Account], AuthError>
        do throws(AuthError) { found = .success(try await client.accounts()) } catch { found = .failure(error) }
        // A look that began later and has ended already knows more.
        guard number > numbers.looked else { return }
        numbers.looked = number
        showShield()
        isUnlockEnabled = client.isUnlockEnabled
        switch found {
        case .success(let accounts):
            self.accounts = accounts
            if expiryWarning.map({ $0.account != person?.id || hasMoved($0) }) ?? false { expiryWarning = nil }
            move(to: ModelState(current: person, isLocked: client.isLocked))
        case .failure(let error):
            accounts = []
            guard error.code != .locked else { return move(to: .locked) }
            // A notice that is up already may say more.
            if notice == nil { _ = shown(error) { await $0.tryAgain() } }
            move(to: .unavailable)
        }
    }

    /// Follows what the client tells.
    func hear(_ event: AuthEvent) async {
        switch event {
        // The client may know more by now than the event says.
        case .shieldChanged: showShield()
        case .unlockOffered: offersUnlock = true
        case .unlockAvailabilityChanged(let availability): unlockAvailability = availability
        case .expiring(let account, let expiry):
            guard account == person?.id else { return }
            warn(account, of: expiry)
        case .refreshed(let account, _):
            if expiryWarning?.account == account, expiryWarning?.remedy == .refresh { expiryWarning = nil }
            await look()
        case .signedIn(let account):
            // Another end is taken back by the token that came with it.
            if expiryWarning?.account == account, expiryWarning?.remedy == .signIn { expiryWarning = nil }
            await look()
            await lookElsewhere()
        case .stepUpRequired(let account, let demand):
            if account == person?.id { stepUpDemand = demand }
        case .authenticationRequired(let account, let reason):
            await look()
            // The session goes on, so no state shows it.
            guard reason == .notAccepted, account == person?.id else { return }
            _ = shown(AuthError(.signInRequired(reason), "A resource refuses the newest token."))
        default:
            await look()
            await lookElsewhere()
        }
    }
}
