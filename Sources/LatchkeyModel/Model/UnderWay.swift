import Latchkey

/// The intent that is under way, and how to cancel it.
struct UnderWay {
    /// Which one it is, among all of the model.
    let number: Int
    let activity: ModelActivity
    let cancel: @MainActor () -> Void
}

/// One call of the client, which somebody waits for until it ends or is cancelled.
@MainActor final class ModelFlight<Value: Sendable> {
    private var waiting: CheckedContinuation<Result<Value, AuthError>, Never>?

    nonisolated init() {}

    func wait(_ waiting: CheckedContinuation<Result<Value, AuthError>, Never>) { self.waiting = waiting }

    /// Ends the wait.
    ///
    /// - Returns: `false` if nobody waits any longer, because it was cancelled before.
    @discardableResult
    func land(_ result: Result<Value, AuthError>) -> Bool {
        guard let waiting else { return false }
        self.waiting = nil
        waiting.resume(returning: result)
        return true
    }
}

extension AuthError {
    static var modelCancelled: AuthError { AuthError(.cancelled, "The person cancelled.") }
}

@available(macOS 14, iOS 17, *)
extension AuthModel {
    /// Runs `work` as the one intent under way. The caller has checked that there is no other.
    ///
    /// - Parameter late: What to do with a value that comes although it was cancelled.
    func perform<Value: Sendable>(
        _ activity: ModelActivity, late: @escaping @MainActor (Value) -> Void = { _ in },
        _ work: @escaping @Sendable (AuthClient) async throws(AuthError) -> Value
    ) async -> Result<Value, AuthError> {
        let flight = ModelFlight<Value>()
        let (signal, stop) = AsyncStream<Never>.makeStream()
        numbers.flight += 1
        let number = numbers.flight
        underWay = UnderWay(number: number, activity: activity) {
            stop.finish()
            flight.land(.failure(.modelCancelled))
        }
        self.activity = activity
        let isCancellable = activity.isCancellable
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiting in
                flight.wait(waiting)
                context.start("model") { [client] in
                    let result = await Self.run(client, until: signal, work)
                    await Self.land(flight, result, late)
                }
            }
        } onCancel: {
            if isCancellable { stop.finish() }
        }
        if underWay?.number == number { (underWay, self.activity) = (nil, nil) }
        return result
    }

    private static func land<Value: Sendable>(
        _ flight: ModelFlight<Value>, _ result: Result<Value, AuthError>, _ late: @MainActor (Value) -> Void
    ) {
        if !flight.land(result), case .success(let value) = result { late(value) }
    }

    /// Runs `work`, and cancels it when `signal` ends.
    private nonisolated static func run<Value: Sendable>(
        _ client: AuthClient, until signal: AsyncStream<Never>,
        _ work: @escaping @Sendable (AuthClient) async throws(AuthError) -> Value
    ) async -> Result<Value, AuthError> {
        await withTaskGroup(of: Result<Value, AuthError>?.self) { group in
            group.addTask {
                do throws(AuthError) { return .success(try await work(client)) } catch { return .failure(error) }
            }
            group.addTask {
                for await _ in signal {}
                return nil
            }
            var result: Result<Value, AuthError>?
            // Whichever ends first ends the other; the result of the work counts, however it ends.
            for await ended in group {
                group.cancelAll()
                if let ended { result = ended }
            }
            return result ?? .failure(.modelCancelled)
        }
    }

    /// What an intent returns for `error`, after it was shown.
    func shown(
        _ error: AuthError, again: (@MainActor (AuthModel) async -> IntentResult)? = nil
    ) -> IntentResult {
        guard error.code != .cancelled else { return .cancelled }
        notice = ModelNotice(error)
        self.again = again
        return .failed(error)
    }

    /// Does what a button of the notice says.
    @discardableResult
    public func press(_ press: ModelNotice.Press) async -> IntentResult {
        let again = again
        switch press {
        case .tryAgain:
            guard let again else { return .notNow }
            return await again(self)
        case .signIn:
            notice = nil
            if stage.phase != .form { return await cancel() }
            return .done
        case .unlock: return await unlock()
        case .unlockOtherWay: return await unlock(with: .fallback)
        case .startOver: return await startOver()
        case .resend: return await resend()
        case .correct, .dismiss:
            notice = nil
            return .done
        }
    }
}
