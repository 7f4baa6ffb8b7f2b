/// Signs people in, keeps their sessions, and hands out access tokens. Create one per app and share it freely.
///
/// Create it with ``Builder``. Nothing is read or sent before the first call. When the last
/// reference to a client is released, its one sleeping task stops and its event streams end.
public final class AuthClient: Sendable {
    let engine: Engine
    /// The engine's account table. It is also kept here, so that reading a token does not retain the engine.
    let table: AccountTable
    /// The engine's, for the same reason.
    let firstToken: FirstToken

    init(_ engine: Engine) {
        self.engine = engine
        table = engine.table
        firstToken = engine.accounts.firstToken
    }

    deinit { engine.stop() }

    /// Stops the alarm in a simulated process that was killed, so that its clock no longer waits.
    package func abandon() { engine.accounts.alarm.stop() }

    /// A new stream of events, starting now. You can have any number of streams. A reader that
    /// falls more than 256 events behind misses some and gets ``AuthEvent/gap`` in their place.
    public var events: AsyncStream<AuthEvent> { engine.accounts.hub.listen() }

    /// Runs `work` independently of the caller: cancelling the caller ends its wait and nothing else.
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
