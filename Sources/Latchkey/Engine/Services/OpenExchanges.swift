import LatchkeySystem

/// The exchanges of a client that have begun and not ended.
final class OpenExchanges: Sendable {
    private struct State {
        var open: [ObjectIdentifier: OpenExchange] = [:]
        var isClosed = false
    }

    /// How long the end of a client waits for what was given up: it only has to take its note out of the store.
    private static let moment = Duration.seconds(1)

    private let state = Locked(State())

    /// Begins an exchange. After ``close()`` it is given up from the beginning.
    ///
    /// - Parameters:
    ///   - key: The key of the credential that is sent, if there is one.
    ///   - isQueued: Whether it has to wait for the store's lock first.
    func begin(key: StoreKey? = nil, isQueued: Bool = false) -> OpenExchange {
        state.withLock { state in
            let exchange = OpenExchange(key: key, isQueued: isQueued, isGivenUp: state.isClosed)
            state.open[ObjectIdentifier(exchange)] = exchange
            return exchange
        }
    }

    func end(_ exchange: OpenExchange) {
        state.withLock { _ = $0.open.removeValue(forKey: ObjectIdentifier(exchange)) }
        exchange.conclude()
    }

    /// The exchanges whose answers must not be lost.
    var sent: [OpenExchange] { all.filter(\.isSent) }

    /// The exchange of the credential at `key`.
    func exchange(at key: StoreKey) -> OpenExchange? { all.first { $0.key == key } }

    private var all: [OpenExchange] { state.withLock { Array($0.open.values) } }

    /// Gives up what has not been sent, now and from now on.
    func close() {
        let open = state.withLock { state in
            state.isClosed = true
            return Array(state.open.values)
        }
        for exchange in open { exchange.giveUp() }
    }

    /// Waits until those that are open now have ended, at most for `limit`; for those that were given up, a moment.
    func settled(within limit: Duration, by clock: any AuthClock) async {
        let end = clock.now() + limit
        for exchange in all.sorted(by: { $0.isSent && !$1.isSent }) {
            let rest = end - clock.now()
            guard rest > .zero else { return }
            await exchange.end.hasLanded(within: exchange.isGivenUp ? min(rest, Self.moment) : rest, by: clock)
        }
    }

    /// The error of a caller who has left, or said no, while the answer is awaited all the same.
    static func leavingAlone(_ error: AuthError) -> AuthError {
        var error = error
        error.mayStillSucceed = true
        error.message += " Its request had left: a session that the service grants is stored and told."
        return error
    }

    /// Runs a call of a conversation. Until its request leaves, cancelling the caller cancels `work`. After that the
    /// answer may hold the only tokens of a grant, so cancelling the caller ends its wait and nothing else.
    ///
    /// - Parameter key: The key of the challenge that the call answers, if it answers one.
    func run<Value: Sendable>(
        at key: StoreKey?, in context: PluginContext,
        _ work: @escaping @Sendable (OpenExchange) async throws -> Value
    ) async throws -> Value {
        let exchange = begin(key: key)
        let flight = Flight<Result<Value, any Error>>()
        // A task of its own, which nobody cancels.
        context.start("exchange") { [self] in
            let result: Result<Value, any Error>
            do { result = .success(try await exchange.run { try await work(exchange) }) } catch {
                result = .failure(error)
            }
            end(exchange)
            flight.land(.success(result))
        }
        do {
            return try await flight.value().get()
        } catch  where Task.isCancelled {
            exchange.giveUp()
            // What was given up ends soon, and cleans up before its caller goes on.
            guard exchange.isGivenUp else { throw exchange.isUnderWay ? Self.leavingAlone(AuthError(error)) : error }
            return try await flight.landing().get().get()
        }
    }
}
