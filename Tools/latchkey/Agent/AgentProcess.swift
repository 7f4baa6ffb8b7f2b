import Latchkey
import LatchkeyAgent
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// This user's agent, one for all profiles.
enum AgentProcess {
    /// The argument that makes this program an agent.
    static let serve = "serve"

    static func place(_ invocation: Invocation) throws -> AgentPlace {
        try AgentPlace.usual(
            for: "latchkey", otherwise: DataFolder(invocation.environment).path,
            environment: invocation.environment)
    }

    static func client(_ invocation: Invocation) throws -> AgentClient {
        try AgentClient(at: place(invocation), context: invocation.world)
    }

    /// Returns clients of all agents that may run: at the usual place first, then where one is noted.
    ///
    /// - Parameter failed: Gets why the usual place is none.
    static func clients(_ invocation: Invocation, failed: (any Error) -> Void = { _ in }) -> [AgentClient] {
        var places: [AgentPlace] = []
        do { places.append(try place(invocation)) } catch { failed(error) }
        for noted in (try? AgentRecords(invocation))?.places() ?? [] where !places.contains(noted) {
            places.append(noted)
        }
        return places.map { AgentClient(at: $0, context: invocation.world) }
    }

    /// Returns a client of an agent that runs; `nil` if there is none. An agent is a convenience: a place where none can
    /// be, such as another user's directory, is told, and is no error.
    static func running(_ invocation: Invocation) async throws -> AgentClient? {
        var problem: (any Error)?
        for client in clients(invocation, failed: { problem = $0 }) {
            do {
                if try await client.status() != nil { return client }
            } catch let error as CancellationError {
                throw error
            } catch {
                problem = problem ?? error
            }
        }
        try Task.checkCancellation()
        if let problem {
            let reason = ErrorReport(of: problem, profile: nil, invocation.shown).message
            invocation.console.note(
                "latchkey: " + Console.printable(invocation.shown("agent.without", ["reason": reason])))
            if let error = problem as? AuthError, let hint = PlaceAdvice(invocation).hint(for: error) {
                let texts = invocation.shown
                invocation.console.note(texts("hint", ["hint": Console.printable(texts(hint))]))
            }
        }
        return nil
    }

    /// Ends every agent that is found. Returns whether there was one.
    ///
    /// - Throws: The problem of an agent that may still run.
    static func stopAll(_ invocation: Invocation) async throws -> Bool {
        let records = try? AgentRecords(invocation)
        var (wasThere, problem): (Bool, (any Error)?) = (false, nil)
        for client in clients(invocation, failed: { problem = $0 }) {
            do {
                wasThere = try await client.stop() || wasThere
                records?.forget(client.place)
            } catch let error as CancellationError {
                throw error
            } catch {
                problem = problem ?? error
            }
        }
        if let problem, !wasThere { throw problem }
        return wasThere
    }

    /// Starts an agent that outlives this program and its terminal, and returns once it listens.
    ///
    /// - Parameter asking: Whether it asks the person before it serves a program.
    static func start(for time: Duration, asking: Bool) async throws {
        var words = ["latchkey", "agent", serve, "--for", "\(max(1, time.wholeSecondsUp))s"]
        if asking { words.append("--confirm") }
        let answer = await DetachedThread.run { [words] in spawn(words) }
        guard answer == true else {
            throw ToolError(.store(.unavailable), "error.agentStart")
        }
    }

    /// Starts the process, and returns whether the agent reported that it listens.
    private static func spawn(_ words: [String]) -> Bool {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return false }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        #if canImport(Darwin)
            let program = ProcessArguments.all.first ?? "latchkey"
        #else
            let program = "/proc/self/exe"
        #endif
        let process = DetachedProgram.start(program, words, output: ends[1])
        close(ends[1])
        guard process != nil else { return false }
        var byte: UInt8 = 0
        return readByte(ends[0], &byte) == 1
    }

    private static func readByte(_ file: Int32, _ byte: inout UInt8) -> Int {
        while true {
            let count = read(file, &byte, 1)
            if count >= 0 || errno != EINTR { return count }
        }
    }

    /// Runs as the agent until its time is over.
    static func run(_ invocation: Invocation, for time: Duration) async throws {
        AgentServer.keepMemoryPrivate()
        _ = chdir("/")
        let desk = TokenDesk(invocation)
        if invocation.arguments.has(.serveTokens) {
            try desk.serve(invocation.profile().name, of: TokenDesk.home(invocation.environment))
        }
        let place = try place(invocation)
        let server = AgentServer(
            at: place, serving: desk, asking: AgentQuestions(invocation), for: time, context: invocation.world)
        if invocation.arguments.has(.confirm) { try server.confirm() }
        let records = try? AgentRecords(invocation)
        defer { records?.forget(place) }
        try await withTaskCancellationHandler {
            try await server.run {
                // Without the note, commands with another environment do not find this agent.
                try? records?.note(place)
                try? invocation.console.write(.output, [UInt8(ascii: "\n")])
                // The process that waits for the end of the output has been told.
                let null = open("/dev/null", O_RDWR | O_CLOEXEC)
                if null >= 0 {
                    dup2(null, 1)
                    close(null)
                }
            }
        } onCancel: {
            server.end()
        }
    }
}
