import LatchkeySystem

/// Tells, once, how long it took from the building of a client to the first token that it handed out.
///
/// It is told of tokens that were handed out, and decides nothing about them.
final class FirstToken: Sendable {
    private let context: PluginContext
    private let builtAt: MonotonicInstant
    private let isTold = OneTime()
    private let hasSignedIn = OneTime()

    init(_ context: PluginContext) {
        self.context = context
        builtAt = context.clock.now()
    }

    /// Notes that somebody signed in through this client: the time that a person takes is told apart.
    func noteSignIn() { _ = hasSignedIn.happen() }

    /// Notes that a token was handed out.
    @inline(__always)
    func note(_ source: AuthObservation.TokenSource) { if !isTold.hasHappened { tell(source) } }

    @inline(never)
    private func tell(_ source: AuthObservation.TokenSource) {
        guard isTold.happen() else { return }
        context.observer.observe(
            .firstToken(hasSignedIn.hasHappened ? .signedIn : source, took: context.clock.now() - builtAt))
    }
}
