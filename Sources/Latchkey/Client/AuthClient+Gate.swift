extension AuthClient {
    /// Whether the client is locked now. Until the store has been read for the first time, it
    /// counts as locked if the person may have switched the unlock off, or if an earlier proof may
    /// still count: ``restore()`` reads the store.
    public var isLocked: Bool { engine.clock.now() >= engine.table.openUntil }

    /// Whether the app should cover its content: from just before it is hidden until it is active
    /// again and unlocked. ``AuthEvent/shieldChanged(isUp:)`` reports changes.
    public var isShielded: Bool { engine.gate.isShielded(at: engine.clock.now()) }

    /// The policy that the client was built with, or that was set since; `nil` without an authenticator.
    public var unlockPolicy: UnlockPolicy? { engine.gate.authenticator == nil ? nil : engine.gate.policy }

    /// Whether the unlock is in force: always with ``UnlockPolicy/Enrolment/required``, otherwise
    /// if the person has switched it on.
    public var isUnlockEnabled: Bool { engine.gate.isInForce }

    /// Locks the client: from now on it hands out no token. Without an authenticator this does nothing.
    ///
    /// If a key opens the store, the store is closed and what was read from it is dropped from
    /// memory. An answer that is under way is stored first; this waits at most
    /// ``EngineSettings/familyDeadline`` for it, and for a prompt that is up. Cancelling the caller
    /// ends its wait; the store is closed all the same.
    public func lock() async { await engine.gate.close() }

    /// Asks the person for the proof and unlocks the client. Besides switching the unlock on, this
    /// is the only call that prompts.
    ///
    /// Concurrent calls share one prompt. Cancelling a caller ends its wait; the prompt stays.
    ///
    /// - Parameter choice: Which authenticator to ask. The fallback is asked only if you choose it here.
    /// - Throws: ``AuthError``: `declined`, `refused(.wrongInput)` or `unlockUnavailable`, each
    ///   with ``AuthError/offersFallback``; `locked` while the app is in the background, where
    ///   nobody can be asked.
    public func unlock(with choice: UnlockChoice = .usual) async throws(AuthError) {
        try await engine.gate.open(choice)
        await engine.reader.catchUp()
        for entry in engine.table.entries { engine.accounts.schedule(entry) }
    }

    /// Tells the client where the app is. Going to the background starts the policy's time;
    /// ``AppPhase/inactive`` only raises the shield.
    public func setPhase(_ phase: AppPhase) async { await engine.gate.enter(phase) }

    /// Switches the unlock on or off, if the policy is ``UnlockPolicy/Enrolment/offered``.
    /// Switching it on asks for a first proof.
    ///
    /// - Throws: ``AuthError``: as ``unlock(with:)``; `locked`; a `store` code;
    ///   `configuration(.unsupported)` if the policy leaves the person no choice.
    public func setUnlockEnabled(_ isOn: Bool) async throws(AuthError) {
        try await engine.gate.setEnabled(isOn)
    }

    /// Changes when the client locks, as on a settings page: the policy's ``UnlockPolicy/afterBackground``,
    /// ``UnlockPolicy/interval``, ``UnlockPolicy/shields`` and ``UnlockPolicy/showsLabels``. The interval counts from the
    /// last proof. It is not stored: build the client with the same policy the next time.
    ///
    /// - Throws: ``AuthError``: `locked`, because somebody who is not proven must not make the lock weaker;
    ///   `configuration(.invalid)` for a negative time, or if ``UnlockPolicy/enrolment``, ``UnlockPolicy/keeping`` or
    ///   ``UnlockPolicy/atLaunch`` would change; `configuration(.unsupported)` without an authenticator.
    public func setUnlockPolicy(_ policy: UnlockPolicy) async throws(AuthError) {
        try await engine.gate.setPolicy(policy)
    }

    /// Ends every session here, so that a person who can no longer give the proof can sign in
    /// again. Nothing that was locked is shown. The client tells the services, now or later. A store that
    /// a key opens is erased unread, and then the services are not told.
    ///
    /// - Throws: ``AuthError`` with a `store` code if a session could not be ended; the client then
    ///   stays locked. `configuration(.unsupported)` if the store is opened by a key and cannot be
    ///   erased without it.
    public func startOver() async throws(AuthError) { try await engine.gate.startOver(engine.reader.endEverySession) }
}
