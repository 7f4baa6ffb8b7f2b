import Latchkey
import LatchkeySystem

/// The clients of a command. Before the program ends, they store what services have answered or are about to.
final class OpenClients: Sendable {
    private struct State {
        var clients: [AuthClient] = []
        var isClosed = false
        var hasSaid = false
        /// Whether a signal came while something was under way.
        var wasHeldUp = false
        /// What the end of the clients said, once they have ended.
        var end: Result<Void, AuthError>?
    }

    /// How long the end of a command waits without saying so.
    private static let moment = Duration.milliseconds(300)

    /// How long a sign-in may take to its end after the service has answered.
    private static let afterwards = Duration.seconds(1)

    private let state = Locked(State())

    /// Adds a client. After ``interrupt(_:)`` it sends nothing.
    func add(_ client: AuthClient) {
        let isClosed = state.withLock { state in
            state.clients.append(client)
            return state.isClosed
        }
        if isClosed { client.stopSending() }
    }

    /// Forgets a client that has ended.
    func remove(_ client: AuthClient) { state.withLock { $0.clients.removeAll { $0 === client } } }

    /// Whether a session would be lost if the program ended now.
    var areBusy: Bool { clients.contains { !$0.exchangesUnderWay.isEmpty } }

    /// Whether a signal had to wait for something.
    var wereHeldUp: Bool { state.withLock { $0.wasHeldUp } }

    private var clients: [AuthClient] { state.withLock { $0.clients } }

    /// Stops sending at a signal, and says what the program waits for, if it does.
    func interrupt(_ say: (ToolText) -> Void) {
        let clients = close()
        let underWay = clients.flatMap { $0.stopSending() }
        guard !underWay.isEmpty else { return }
        state.withLock { $0.wasHeldUp = true }
        tell(underWay, say)
    }

    /// Waits at the end of a command until what was sent is answered and stored. What was not sent is given up.
    ///
    /// - Returns: Why the store has not taken something, which is lost with this process; `nil` if it has taken all.
    func end(_ clock: any AuthClock, _ say: @escaping @Sendable (ToolText) -> Void) async -> AuthError? {
        if case .failure(let error)? = state.withLock({ $0.end }) { return error }
        let clients = close()
        let unstored = Locked<AuthError?>(nil)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                // Most are done by then, and need no line.
                guard (try? await clock.sleep(until: clock.now() + Self.moment)) != nil else { return }
                let underWay = clients.flatMap(\.exchangesUnderWay)
                if !underWay.isEmpty { tell(underWay, say) }
            }
            for client in clients {
                if let error = await client.finishSent() { unstored.withLock { $0 = error } }
            }
            group.cancelAll()
        }
        let error = unstored.withLock { $0 }
        state.withLock { $0.end = error.map { .failure($0) } ?? .success(()) }
        return error
    }

    /// Runs a sign-in and what follows it on this machine. If the task is cancelled while a service has not answered yet,
    /// `work` has the time to store what the answer brings, and to save the profile that belongs to it.
    func toTheEnd<Value: Sendable>(
        _ clock: any AuthClock, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task { try await work() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            guard areBusy else { return task.cancel() }
            Task { [self] in
                for client in clients { await client.finishSent() }
                try? await clock.sleep(until: clock.now() + Self.afterwards)
                task.cancel()
            }
        }
    }

    private func close() -> [AuthClient] {
        state.withLock { state in
            state.isClosed = true
            return state.clients
        }
    }

    private func tell(_ underWay: [ExchangeUnderWay], _ say: (ToolText) -> Void) {
        let isFirst = state.withLock { state in
            defer { state.hasSaid = true }
            return !state.hasSaid
        }
        guard isFirst else { return }
        if let origin = underWay.lazy.compactMap(\.awaitedOrigin).first {
            say(ToolText("end.service", ["origin": origin]))
        } else {
            say(ToolText("end.store"))
        }
    }
}

extension Invocation {
    /// Ends the clients before this program is replaced by another one, or ends.
    ///
    /// - Returns: What the store has not taken, which is lost with this process: it must not be replaced, nor end as if
    ///   all were well. `nil` if the store has taken everything.
    func endClients() async -> ToolError? {
        let unstored = await clients.end(world.clock) { [console, shown] text in
            console.note("latchkey: \(Console.printable(shown(text)))")
        }
        return unstored.map(ToolError.init(unstored:))
    }
}

extension ToolError {
    /// Creates the error of a command that ends with a session that the store has not taken.
    fileprivate init(unstored error: AuthError) {
        let reason =
            switch error.code {
            case .store(.full): ToolText("problem.full")
            case .store(.readOnly): ToolText("problem.readOnly")
            default: ToolText("problem.system", ["words": error.message])
            }
        self.init(error.code, "error.unstored", parts: ["reason": reason], provider: error.provider)
    }
}
