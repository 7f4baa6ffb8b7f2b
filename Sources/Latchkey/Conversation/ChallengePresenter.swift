/// Shows a challenge to a person and collects the answer. Polling, waiting and timeouts are the engine's job.
///
/// | Case | Required behaviour |
/// | --- | --- |
/// | The person says no | returns ``Answer/declined`` |
/// | The task is cancelled (the engine has its answer, or gave up) | stops showing, throws `CancellationError` |
/// | A ``Ask/device(_:)`` challenge | shows it and waits; the engine cancels it when the service has decided |
/// | A challenge it cannot show | throws ``AuthError`` `configuration(.unsupported)` |
public protocol ChallengePresenter: Sendable {
    /// Asks the person. The engine shows one challenge at a time.
    func answer(_ challenge: Challenge) async throws -> Answer
}

/// A presenter that can receive a redirect. The engine opens the redirect first, so that the
/// provider can put its address into the URL.
public protocol RedirectReceiving: ChallengePresenter {
    /// Opens the address that the browser returns to.
    ///
    /// - Returns: The redirect URI, port included.
    func openRedirect() async throws -> String

    /// Closes that address. Called once for each call of `openRedirect`, whatever happened.
    func closeRedirect() async

    /// Decides whether to keep waiting after the provider has refused a redirect. The challenge can
    /// still be answered.
    ///
    /// - Returns: `true` to be asked the same challenge once more: the redirect may have been forged,
    ///   and the real one may still come. `false`, the default, ends the sign-in with the error.
    func goesOnWaiting(for challenge: Challenge) async -> Bool
}

/// A receiver of redirects that tells the person how the sign-in ended, on the page that the browser came back to.
///
/// A browser comes back before the code is exchanged, so the redirect alone does not say whether anybody is
/// signed in. Let the browser wait for ``conclude(_:)``, and show success only then.
public protocol RedirectConcluding: RedirectReceiving {
    /// Tells how the conversation ended. Called once for each call of `openRedirect`, just before
    /// ``RedirectReceiving/closeRedirect()``, whatever happened. If the task was cancelled, the end is a failure
    /// with the code ``AuthError/Code/cancelled``.
    ///
    /// The sign-in does not return before this and `closeRedirect` have, so limit how long you wait for a browser
    /// that may be gone. Show a person ``AuthError/text(in:)``; ``AuthError/message`` is for logs.
    func conclude(_ end: Result<ConversationEnd, AuthError>) async
}

/// A presenter that says why it asks the same challenge once more.
public protocol RefusalShowing: ChallengePresenter {
    /// Tells the person that the last answer was refused and can be corrected.
    /// ``ChallengePresenter/answer(_:)`` is called next, with the same challenge.
    func show(_ refusal: AuthError, of challenge: Challenge) async throws
}

extension RedirectReceiving {
    /// Returns `false`: the first answer counts.
    public func goesOnWaiting(for challenge: Challenge) async -> Bool { false }
}
