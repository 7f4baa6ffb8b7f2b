import Latchkey

/// Moves: the only places where ``AuthModel/state`` and ``AuthModel/stage`` change, by the ``ModelTable``.
@available(macOS 14, iOS 17, *)
extension AuthModel {
    /// Moves to `stage` if the table allows it.
    ///
    /// - Returns: `false` if it does not, because something else came first; nothing changes then.
    @discardableResult
    func move(_ trigger: ModelTrigger, to stage: ModelStage) -> Bool {
        let from = self.stage.phase
        guard ModelTable.next(from, trigger) == stage.phase else { return false }
        if stage.phase != .succeeded { succeeded = nil }
        if stage.phase != .formPause, stage.phase != .answerPause { countdown = nil }
        self.stage = stage
        onMove?(ModelMove(from, trigger, stage.phase))
        return true
    }

    /// Moves to `state`. A change within one state, such as another date, is no move.
    func move(to state: ModelState) {
        let from = self.state.phase
        guard self.state != state else { return }
        guard from != state.phase else {
            self.state = state
            return
        }
        guard ModelTable.next(from, state.trigger) == state.phase else { return }
        self.state = state
        onMove?(ModelMove(from, state.trigger, state.phase))
        // Nobody is told that they are signed in who is not any more.
        let wasIn = [.signedIn, .offline, .locked].contains(from)
        if wasIn, [.signedOut, .signInAgain].contains(state.phase) { move(.sessionEnded, to: .form) }
    }

    /// Changes what was entered on the challenge's screen. Does nothing if no challenge waits for an answer.
    public func editChallenge(_ change: (inout ChallengeScreen) -> Void) {
        guard case .asked(var screen) = stage else { return }
        change(&screen)
        stage = .asked(screen)
    }
}
