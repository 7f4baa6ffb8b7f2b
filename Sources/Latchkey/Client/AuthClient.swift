/// Signs people in, keeps their sessions, and hands out access tokens. One per app; share it freely.
///
/// Made by ``Builder``. Nothing is read or sent before the first call. A client that is no longer referenced stops its
/// one sleeping task and ends its event streams.
public final class AuthClient: Sendable {
    let engine: Engine
    /// The engine's. Kept here as well, so that reading a token counts no reference on its way there.
    let table: AccountTable

    init(_ engine: Engine) {
        self.engine = engine
        table = engine.table
    }

    deinit { engine.stop() }

    /// Stops what goes on by itself, and waits until what is under way is stored: for a program that is about to end.
    ///
    /// A program that ends while a request is under way has hung up on the service, which costs the session where its
    /// reuse ends it.
    ///
    /// - Parameter limit: How long to wait at most; `nil`: as long as a request and its storing may take
    ///   (``EngineSettings/familyDeadline`` and ten seconds). What is not stored then is lost with the process.
    public func finish(within limit: Duration? = nil) async {
        engine.stop()
        await engine.lanes.settled(within: limit ?? engine.settings.familyDeadline + .seconds(10))
    }

    /// Ends what goes on by itself in a process of a simulation that was killed: its clock no longer waits.
    package func abandon() { engine.accounts.alarm.stop() }

    /// What happens, from now on; any number of listeners. A reader that falls more than 256 events behind finds
    /// ``AuthEvent/gap`` where it missed some.
    public var events: AsyncStream<AuthEvent> { engine.accounts.hub.listen() }

    /// Runs `work` as the engine's own: cancelling the caller ends its wait and nothing else.
    func owned<Value: Sendable>(
        _ name: StaticString, _ work: @escaping @Sendable (Engine) async throws -> Value
    ) async throws(AuthError) -> Value {
        let flight = Flight<Value>()
        engine.context.start(name) { [engine] in
            do {
                flight.land(.success(try await work(engine)))
            } catch {
                flight.land(.failure(AuthError(error)))
            }
        }
        return try await flight.value()
    }
}
