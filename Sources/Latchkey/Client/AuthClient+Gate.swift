extension AuthClient {
    /// Whether the gate is locked now. Before the store was read the first time, a gate that the person may have switched
    /// off, or whose last proof may still count, is locked: ``restore()`` tells.
    public var isLocked: Bool { engine.clock.now() >= engine.table.openUntil }

    /// Whether the app shall be covered: from before it is hidden until it is unlocked. Changes are told by
    /// ``AuthEvent/shieldChanged(isUp:)``.
    public var isShielded: Bool { engine.gate.isShielded(at: engine.clock.now()) }

    /// Whether there is a gate: always with ``UnlockPolicy/Enrolment/required``, else when the person has switched it on.
    public var isUnlockEnabled: Bool { engine.gate.isInForce }

    /// Locks: from now on no token leaves. Without an authenticator there is no gate, and this does nothing.
    ///
    /// Where a key opens the store, the store is closed and what was read from it is dropped from memory; an answer that
    /// is under way is stored first, for which this waits at most ``EngineSettings/familyDeadline``.
    public func lock() async { await engine.gate.close() }

    /// Asks the person for the proof and opens the gate. The only call that prompts, beside switching the unlock on.
    ///
    /// However many call it, one prompt is up. Cancelling a caller ends its wait; the prompt stays.
    ///
    /// - Parameter choice: Which authenticator is asked; the fallback only when it is chosen here.
    /// - Throws: ``AuthError``: `declined`, `refused(.wrongInput)`, `unlockUnavailable`, each with
    ///   ``AuthError/offersFallback``; `locked` while the app is in the background, where nobody is asked.
    public func unlock(with choice: UnlockChoice = .usual) async throws(AuthError) {
        try await engine.gate.open(choice)
        await engine.reader.catchUp()
        for entry in engine.table.entries { engine.accounts.schedule(entry) }
    }

    /// Tells where the app is. Going to the background starts the policy's time, ``AppPhase/inactive`` only raises the
    /// shield.
    public func setPhase(_ phase: AppPhase) async { await engine.gate.enter(phase) }

    /// The person's switch, where the policy is ``UnlockPolicy/Enrolment/offered``. Switching on asks for a first proof.
    ///
    /// - Throws: ``AuthError``: as ``unlock(with:)``; `locked`; a `store` code; `configuration(.unsupported)` where the
    ///   policy leaves the person no choice.
    public func setUnlockEnabled(_ isOn: Bool) async throws(AuthError) {
        try await engine.gate.setEnabled(isOn)
    }

    /// For whoever cannot give the proof any more: ends every session here, so that somebody can sign in by hand. Nothing
    /// that was behind the gate is shown. The services are told, now or later.
    ///
    /// - Throws: ``AuthError`` with a `store` code where a session could not be ended; then the gate stays locked.
    ///   `configuration(.unsupported)` where the store is opened by a key and cannot be erased without it.
    public func startOver() async throws(AuthError) { try await engine.gate.startOver(engine.reader.endEverySession) }
}
