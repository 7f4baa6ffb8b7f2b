public import Latchkey

/// Sends requests to an agent.
public struct AgentClient: Sendable {
    /// The place where the agent listens.
    public let place: AgentPlace
    private let context: PluginContext

    /// Creates a client of the agent at `place`.
    public init(at place: AgentPlace, context: PluginContext = .system) {
        self.place = place
        self.context = context
    }

    /// The status of an agent.
    public struct Status: Hashable, Sendable {
        /// How much longer the agent keeps its keys.
        public var rest: Duration
        /// The names of the open vaults.
        public var open: [String]
    }

    /// Returns the agent's status; `nil` if no agent runs.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.insecurePermissions)` when others can access the place, or the socket
    ///   is a link.
    public func status() async throws -> Status? {
        guard let answer = try await ask(AgentMessage("status"), orNil: true) else { return nil }
        return Status(
            rest: .seconds(Int64(clamping: try answer.number(0))),
            open: answer.parts.dropFirst().map { $0.revealText() })
    }

    /// Makes the agent wipe its keys and end. Returns whether one was running.
    @discardableResult
    public func stop() async throws -> Bool { try await ask(AgentMessage("stop"), orNil: true) != nil }

    /// Makes the agent keep its keys for `time` from now on.
    public func remember(for time: Duration) async throws {
        _ = try await ask(AgentMessage("remember", [AgentMessage.number(UInt64(max(1, time.components.seconds)))]))
    }

    /// Makes the agent ask the person from now on before a program gets a token, or what is in a vault.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `locked` when no agent runs; `configuration(.unsupported)` when it cannot ask.
    public func confirm() async throws { _ = try await ask(AgentMessage("confirm")) }

    /// How long an agent may take: half a minute, or a question to the person and then a refresh at a slow service.
    private static func patience(for request: AgentMessage) -> Duration {
        AgentConfirmation.use(of: request) == nil ? .seconds(30) : AgentServer.longestQuestion + .seconds(75)
    }

    /// Sends `request` and returns the answer.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `locked` when no agent runs; the agent's error.
    func ask(_ request: AgentMessage) async throws -> AgentMessage {
        guard let answer = try await ask(request, orNil: false) else {
            throw AuthError(.locked, "no agent is there that holds the key")
        }
        return answer
    }

    func ask(_ request: AgentMessage, orNil: Bool) async throws -> AgentMessage? {
        guard let directory = try TrustedDirectory.open(place.directory, .own, in: context.files) else { return nil }
        // What a link leads to may be any program's; an agent makes none.
        if try directory.files.status(AgentPlace.socketName)?.kind == .link {
            throw AuthError(.store(.insecurePermissions), "\(place.socketPath) is a link; remove it")
        }
        let patience = Self.patience(for: request)
        guard let socket = try AgentSocket.connected(to: place.socketPath, patience: patience) else { return nil }
        guard try await socket.send(request), let answer = try await socket.receive() else {
            // The agent ended in between, and its keys are gone.
            if orNil { return nil }
            throw AuthError(.locked, "the agent has ended")
        }
        if let failure = answer.failure { throw failure }
        return answer
    }
}
