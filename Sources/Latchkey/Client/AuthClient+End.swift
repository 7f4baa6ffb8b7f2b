/// The end of a program. A program that ends during an exchange loses the answer. If the service ends a session whose
/// refresh token is used twice, that costs the session.
extension AuthClient {
    /// Runs `body`, and ends the client afterwards as ``finish(within:)`` does, whether `body` returns or throws and
    /// whether or not the task is cancelled. Wrap the whole of a short program in it, so that it does not end as if
    /// all were well while a session is nowhere but in its memory:
    ///
    /// ```swift
    /// try await auth.run { auth in print(try await auth.accessToken().expiresAt) }
    /// ```
    ///
    /// It cannot help if something in `body` ends the process, such as `exit()`; call it after this returns.
    ///
    /// - Throws: What `body` throws; else what ``finish(within:)`` returns.
    public func run<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: (AuthClient) async throws -> Value
    ) async throws -> Value {
        let result: Result<Value, any Error>
        do { result = .success(try await body(self)) } catch { result = .failure(error) }
        let unstored = await finish()
        let value = try result.get()
        if let unstored { throw unstored }
        return value
    }

    /// Stops background work and waits until the results of requests under way are stored. Call it
    /// before the program ends, or use ``run(isolation:_:)``. The wait goes on if the calling task is cancelled.
    ///
    /// - Parameter limit: The longest wait. `nil` means as long as a request and storing its
    ///   result may take (``EngineSettings/familyDeadline`` plus ten seconds). What is not stored
    ///   by then is lost with the process.
    /// - Returns: `nil` if everything is stored; else why the store has not taken it, such as `store(.full)`. A session
    ///   that was refreshed or signed in is then over with the process: say so, and end the program as failed.
    @discardableResult
    public func finish(within limit: Duration? = nil) async -> AuthError? {
        engine.stop()
        await uncancelled { [engine, longest = limit ?? longestEnd] in
            let end = engine.clock.now() + longest
            await engine.lanes.settled(within: longest)
            await engine.services.exchanges.settled(within: end - engine.clock.now(), by: engine.clock)
        }
        return unstored
    }

    /// Why the store has not taken what it must take, as the end of a program says it.
    private var unstored: AuthError? {
        engine.lanes.unstored
    }

    /// Stops sending because the program is told to end, for example by a signal. What has not been sent is not sent
    /// any more. Waits for nothing: call ``finishSent(within:)`` before the program ends.
    ///
    /// - Returns: What ``finishSent(within:)`` waits for; empty if the program may end at once.
    @discardableResult
    public func stopSending() -> [ExchangeUnderWay] {
        engine.services.exchanges.close()
        return exchangesUnderWay
    }

    /// The exchanges whose results would be lost if the program ended now.
    public var exchangesUnderWay: [ExchangeUnderWay] {
        let sent = engine.services.exchanges.sent.map { exchange in
            var origin: String?
            if case .service(let asked) = exchange.waitsFor { origin = asked }
            return ExchangeUnderWay(awaitedOrigin: origin)
        }
        return sent.isEmpty && engine.lanes.unstored != nil ? [ExchangeUnderWay()] : sent
    }

    /// Stops background work, and sending as ``stopSending()`` does, and waits until the results of what has been sent
    /// are stored. Unlike ``finish(within:)`` it waits for nothing that has not been sent. The wait goes on if the
    /// calling task is cancelled.
    ///
    /// - Parameter limit: The longest wait, as of ``finish(within:)``.
    /// - Returns: As ``finish(within:)``.
    @discardableResult
    public func finishSent(within limit: Duration? = nil) async -> AuthError? {
        stopSending()
        engine.stop()
        await uncancelled { [engine, longest = limit ?? longestEnd] in
            let end = engine.clock.now() + longest
            await engine.services.exchanges.settled(within: longest, by: engine.clock)
            await engine.lanes.stored(within: end - engine.clock.now())
        }
        return unstored
    }

    private var longestEnd: Duration { engine.settings.familyDeadline + .seconds(10) }

    /// Runs `work` to its end, even if this task is cancelled.
    private func uncancelled(_ work: @escaping @Sendable () async -> Void) async {
        let flight = Flight<Void>()
        engine.context.start("finish") {
            await work()
            flight.land(.success(()))
        }
        _ = await flight.landing()
    }
}
