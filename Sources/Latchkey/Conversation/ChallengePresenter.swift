/// Shows a challenge to a person and collects the answer. The engine polls, waits and times out on its own clock.
///
/// | Case | Required behaviour |
/// | --- | --- |
/// | The person says no | returns ``Answer/declined`` |
/// | The task is cancelled (the engine has its answer, or gave up) | stops showing, throws `CancellationError` |
/// | A ``Ask/device(_:)`` challenge | shows it and waits; the engine cancels it when the service has decided |
/// | A challenge it cannot show | throws ``AuthError`` `configuration(.unsupported)` |
public protocol ChallengePresenter: Sendable {
    /// Asks the person. Called for one challenge at a time.
    func answer(_ challenge: Challenge) async throws -> Answer
}

/// A presenter that can receive a redirect. It opens its address first, and the provider builds the URL with it.
public protocol RedirectReceiving: ChallengePresenter {
    /// Opens the address to which the browser shall return.
    ///
    /// - Returns: The redirect URI, port included.
    func openRedirect() async throws -> String

    /// Closes it. Called once for each `openRedirect`, whatever happened.
    func closeRedirect() async

    /// Told that what came back was refused, though the challenge can still be answered.
    ///
    /// - Returns: Whether to be asked the same challenge once more, because what came was perhaps forged and the person
    ///   is still on the way. `false`, also the default, ends the sign-in with the error.
    func goesOnWaiting(for challenge: Challenge) async -> Bool
}

extension RedirectReceiving {
    /// `false`: the first answer counts.
    public func goesOnWaiting(for challenge: Challenge) async -> Bool { false }
}
