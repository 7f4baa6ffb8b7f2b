import Latchkey

/// Cancelling and going on.
@available(macOS 14, iOS 17, *)
extension AuthModel {
    /// Cancels what is under way, or the challenge or pause that is shown, and goes back to the form.
    ///
    /// The service is told that nobody will answer the challenge. An unlock's prompt stays up, if
    /// there is one; only the wait for it ends.
    ///
    /// - Returns: `done` if it was cancelled: the intent that was under way returns
    ///   ``IntentResult/cancelled``. `notNow` if nothing is there to cancel, or what is under way
    ///   cannot be cancelled (``ModelActivity/isCancellable``).
    @discardableResult
    public func cancel() async -> IntentResult {
        if let underWay {
            guard underWay.activity.isCancellable else { return .notNow }
            self.underWay = nil
            activity = nil
            underWay.cancel()
            // An unlock beside a challenge that waits leaves the challenge alone.
            if stage.phase == .sending || stage.phase == .answering { leave() }
            return .done
        }
        switch stage.phase {
        case .asked, .answering, .answerPause, .formPause:
            leave()
            return .done
        case .elsewhere, .succeeded:
            dismiss()
            return .done
        default: return .notNow
        }
    }

    /// Leaves the conversation for the form, if there is one.
    private func leave() {
        let challenge = stage.challenge
        guard move(.cancelled, to: .form) else { return }
        conversation = nil
        notice = nil
        form.wipe()
        if let challenge { giveUp(challenge.id) }
    }

    /// The person has seen that it succeeded, or where to continue, and goes on.
    public func dismiss() {
        guard underWay == nil, move(.dismissed, to: .form) else { return }
        conversation = nil
        form = SignInForm(methods: form.methods, options)
    }
}
