public import Latchkey

/// The lock, the shield, and the offer to switch the unlock on.
@available(macOS 14, iOS 17, *)
extension AuthModel {
    /// Whether sessions survive the end of the app.
    public enum Persistence: String, Hashable, Sendable {
        /// The session is stored.
        case kept
        /// The policy keeps sessions only while the unlock is on, and it is off: the next launch
        /// needs a sign-in.
        case thisLaunchOnly
        /// The store could not take the session so far; it is lost if the app ends before it can.
        case notStoredYet
    }

    /// Whether the current session survives the end of the app; `nil` if nobody is signed in.
    public var persistence: Persistence? {
        guard let person else { return nil }
        if client.unlockPolicy?.keeping == .whileEnabled, !isUnlockEnabled { return .thisLaunchOnly }
        return person.isDurable ? .kept : .notStoredYet
    }

    /// Asks for the proof and unlocks. If the person says no, nothing is shown: they know.
    @discardableResult
    public func unlock(with choice: UnlockChoice = .usual) async -> IntentResult {
        await quietlyIfDeclined(
            await change(.unlocking, again: { await $0.unlock(with: choice) }) {
                client throws(AuthError) in try await client.unlock(with: choice)
            })
    }

    /// Locks at once, whatever is under way. What is under way then fails as `locked`.
    public func lock() async {
        await client.lock()
        await look()
    }

    /// Tells where the app is. Call it from the system's notice: the shield is up when this first
    /// suspends, before the system takes its picture of the app.
    public func setPhase(_ phase: AppPhase) async {
        raiseShield(for: phase)
        await client.setPhase(phase)
        showShield()
        await look()
    }

    func raiseShield(for phase: AppPhase) {
        self.phase = phase
        showShield()
    }

    /// The shield is up while the client says so, and before it does: as soon as the app's phase is told here.
    func showShield() {
        let isLeaving = phase != .active && client.isUnlockEnabled && client.unlockPolicy?.shields ?? false
        isShielded = client.isShielded || isLeaving
    }

    /// Switches the unlock on or off: the toggle of a settings page, and the "yes" of ``offersUnlock``.
    @discardableResult
    public func setUnlockEnabled(_ isOn: Bool) async -> IntentResult {
        let result = await change(.changingUnlock, again: { await $0.setUnlockEnabled(isOn) }) {
            client throws(AuthError) in try await client.setUnlockEnabled(isOn)
        }
        if result == .done { offersUnlock = false }
        return await quietlyIfDeclined(result)
    }

    /// The "no" of ``offersUnlock``. It is not offered again.
    public func declineUnlockOffer() { offersUnlock = false }

    /// Ends every session here, for a person who can no longer give the proof.
    @discardableResult
    public func startOver() async -> IntentResult {
        await change(.startingOver, again: { await $0.startOver() }) {
            client throws(AuthError) in try await client.startOver()
        }
    }

    private func quietlyIfDeclined(_ result: IntentResult) async -> IntentResult {
        if case .failed(let error) = result, error.code == .declined { notice = nil }
        return result
    }
}
