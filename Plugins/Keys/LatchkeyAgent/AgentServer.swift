import CAgentSocket
import Latchkey
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Holds the keys of vaults for a while, for other processes of the same user. They ask the agent to open and seal;
/// the keys never leave it.
///
/// | Case | What happens |
/// | --- | --- |
/// | Another user connects | the connection ends unanswered (`SO_PEERCRED`) |
/// | A link is in the socket's place | clients refuse it; the next agent puts its socket there |
/// | The time is over, or a client locks | every key is wiped, and the agent ends |
/// | The socket is gone from its place | every key is wiped, and the agent ends within a second or two |
/// | A second agent is started for the same place | its ``run(ready:)`` throws `busy` |
/// | A client sends nothing, or half a message | its connection ends after ten seconds |
/// | More than 32 connections at once | the others wait |
/// | A client asks for an access token | the answer of the ``AgentTokenServing`` that the agent was created with |
/// | The agent asks first (``confirm()``), and the person says no | `declined`, for that program |
public final class AgentServer: Sendable {
    /// The longest time for which an agent keeps its keys: a week.
    public static let longestTime = Duration.seconds(7 * 86_400)
    /// The longest time that a question to the person takes: a minute. Clients wait longer than that.
    public static let longestQuestion = Duration.seconds(60)

    private struct State {
        var connections: [Int: AgentSocket] = [:]
        var next = 0
        var until: MonotonicInstant
        var isEnding = false
        var asksFirst = false
    }

    private let place: AgentPlace
    private let context: PluginContext
    private let keeper: any AgentKeeping
    private let tokens: (any AgentTokenServing)?
    private let confirmation: AgentConfirmation?
    private let state: Locked<State>
    private let listening = Locked<AgentSocket?>(nil)

    /// Creates an agent at `place` that ends after `time`, and does not ask about the process `own`.
    init(
        at place: AgentPlace, keeping keeper: any AgentKeeping, serving tokens: (any AgentTokenServing)? = nil,
        asking person: (any AgentConfirming)? = nil, own: Int32 = getpid(), for time: Duration, context: PluginContext
    ) {
        self.place = place
        self.context = context
        self.keeper = keeper
        self.tokens = tokens
        confirmation = person.map { AgentConfirmation(by: $0, own: own) }
        state = Locked(State(until: context.clock.now() + min(time, Self.longestTime)))
    }

    /// Keeps other processes from reading this process's memory, and the system from writing a dump of it, as far
    /// as the system can.
    public static func keepMemoryPrivate() {
        _ = latchkey_keep_memory_private()
    }

    /// Listens until the time is over or a client ends the agent.
    ///
    /// - Parameter ready: Called once the agent listens.
    /// - Throws: ``/Latchkey/AuthError`` `busy` when another agent runs; a `store` code when it cannot listen.
    public func run(ready: @Sendable () -> Void = {}) async throws {
        let directory = try TrustedDirectory.make(place.directory, .own, in: context.files)
        guard let lock = try directory.files.lock(AgentPlace.lockName, sharing: false) else {
            throw AuthError(.busy, "an agent is there already")
        }
        defer { lock.release() }
        // Only the holder of the lock listens, so an existing socket has no process behind it.
        let socket = try AgentSocket.listening(at: place.socketPath)
        listening.withLock { $0 = socket }
        defer {
            try? directory.files.remove(AgentPlace.socketName)
            // Closed with its last owner: clients that it did not get to learn that the agent has ended.
            listening.withLock { $0 = nil }
        }
        ready()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.waitForEnd() }
            while let connection = await socket.next(patience: .seconds(10)) {
                if state.withLock({ $0.isEnding }) { break }
                guard connection.isOfThisUser else { continue }
                let number = await accept(connection)
                group.addTask { await self.serve(connection, number) }
            }
            end()
            group.cancelAll()
        }
        await keeper.closeAll()
    }

    /// Ends the agent, as the end of its time does.
    public func end() {
        let connections = state.withLock { state -> [AgentSocket] in
            state.isEnding = true
            return Array(state.connections.values)
        }
        for connection in connections { connection.end() }
        listening.withLock { $0 }?.end()
    }

    private static let mostConnections = 32

    private func accept(_ connection: AgentSocket) async -> Int {
        while state.withLock({ $0.connections.count >= Self.mostConnections && !$0.isEnding }) {
            try? await context.clock.sleep(until: context.clock.now() + .milliseconds(20))
        }
        return state.withLock { state in
            state.next += 1
            state.connections[state.next] = connection
            return state.next
        }
    }

    private func waitForEnd() async {
        while true {
            let (until, isEnding) = state.withLock { ($0.until, $0.isEnding) }
            guard !isEnding, context.clock.now() < until, isReachable else { break }
            // Sleep in slices, to notice an end that was moved earlier or later.
            try? await context.clock.sleep(until: min(until, context.clock.now() + .seconds(1)))
        }
        end()
    }

    /// Whether the socket is still in its place. Without it no client can end this agent, which then ends by itself.
    private var isReachable: Bool {
        do { return try context.files.status(place.socketPath) != nil } catch { return true }
    }

    private func serve(_ connection: AgentSocket, _ number: Int) async {
        defer { state.withLock { $0.connections[number] = nil } }
        while let request = (try? await connection.receive()) ?? nil {
            var answer: AgentMessage
            do throws(AuthError) { answer = try await self.answer(request, of: connection) } catch {
                answer = AgentMessage(failure: error)
            }
            guard (try? await connection.send(answer)) == true else { return }
            if request.word == "stop" { return end() }
        }
    }

    /// Asks the person from now on before a program gets a token, or what is in a vault. Nothing ends that but the agent's
    /// end.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.unsupported)` when the agent cannot ask.
    public func confirm() throws {
        guard let confirmation else {
            throw AuthError(.configuration(.unsupported), "the agent has no way to ask the person")
        }
        try confirmation.by.prepare()
        state.withLock { $0.asksFirst = true }
    }

    private func answer(
        _ request: AgentMessage, of connection: AgentSocket
    ) async throws(AuthError) -> AgentMessage {
        if state.withLock({ $0.asksFirst }) { try await confirmation?.check(request, of: connection.peer) }
        let answer = try await answer(request)
        // Who has the key needs no word of the person.
        if ["open", "create"].contains(request.word) { confirmation?.by.trust(connection.peer) }
        return answer
    }

    private func answer(_ request: AgentMessage) async throws(AuthError) -> AgentMessage {
        switch request.word {
        case "status":
            let rest = state.withLock { $0.until } - context.clock.now()
            return AgentMessage(
                "status", [AgentMessage.number(UInt64(max(0, rest.components.seconds)))] + (await keeper.open()))
        case "stop":
            await keeper.closeAll()
            return AgentMessage("stopped")
        case "remember":
            let seconds = try request.number(0)
            let time = min(Duration.seconds(Int64(clamping: seconds)), Self.longestTime)
            state.withLock { $0.until = context.clock.now() + time }
            return AgentMessage("remembering")
        case "confirm":
            do { try confirm() } catch {
                throw error as? AuthError ?? AuthError(.configuration(.unsupported), "the agent cannot ask")
            }
            return AgentMessage("confirming")
        case "token", "serve": return try await answer(request, by: tokens)
        default: return try await keeper.answer(request)
        }
    }
}

/// Acts on the keys for an agent.
protocol AgentKeeping: Sendable {
    /// Answers the requests that the agent does not answer itself.
    func answer(_ request: AgentMessage) async throws(AuthError) -> AgentMessage
    /// Returns the names of what is open.
    func open() async -> [Secret]
    /// Wipes every key.
    func closeAll() async
}
