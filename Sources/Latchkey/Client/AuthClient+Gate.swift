extension AuthClient {
    /// Whether the gate is locked now.
    public var isLocked: Bool { engine.clock.now() >= engine.table.openUntil }

    /// Locks: from now on no token leaves. Without an authenticator there is no gate, and this does nothing.
    public func lock() async { await engine.gate.close(engine) }

    /// Asks the person for the proof and opens the gate. The only call that prompts.
    ///
    /// - Throws: ``AuthError``: `declined`, `refused(.wrongInput)`, `unlockUnavailable`.
    public func unlock() async throws(AuthError) {
        try await engine.gate.open(engine)
        await engine.catchUp()
        for entry in engine.table.entries { engine.schedule(entry) }
    }

    /// Tells that the app is out of sight, or back. Not for passing interruptions such as a call or a permission
    /// dialogue.
    public func setInBackground(_ isInBackground: Bool) async {
        await engine.gate.background(isInBackground, engine)
    }
}
