import CSpawn
import Latchkey
import LatchkeyAgent
import LatchkeyLocked

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
    static func start(for time: Duration) async throws {
        let words = ["latchkey", "agent", serve, "--for", "\(max(1, time.wholeSecondsUp))s"]
        let answer = await DetachedThread.run { spawn(words) }
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
        var arguments = words.map { strdup($0) } + [nil]
        defer { for text in arguments { free(text) } }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
            let program = CommandLine.arguments[0]
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
            let program = "/proc/self/exe"
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        // In a session of its own, so that it does not get the terminal's signals. It does not inherit ignored or
        // blocked signals either.
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes, shim_spawn_own_session() | Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        _ = shim_spawn_close_others(&actions)
        var process: pid_t = 0
        var variables = variablesWithoutSecrets()
        let problem = posix_spawn(&process, program, &actions, &attributes, &arguments, &variables)
        close(ends[1])
        guard problem == 0 else { return false }
        var byte: UInt8 = 0
        return readByte(ends[0], &byte) == 1
    }

    /// Returns this process's variables without the client's secret, keys and access tokens, which an agent that stays for
    /// hours does not need.
    private static func variablesWithoutSecrets() -> [UnsafeMutablePointer<CChar>?] {
        let secrets = SecretVariables.names.map { "\($0)=" } + ["LATCHKEY_ACCESS_TOKEN"]
        var variables: [UnsafeMutablePointer<CChar>?] = []
        var place = environ
        while let variable = place.pointee {
            let isSecret = secrets.contains { (name: String) in strncmp(variable, name, name.utf8.count) == 0 }
            if !isSecret { variables.append(variable) }
            place += 1
        }
        return variables + [nil]
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
        let server = AgentServer(at: place, serving: desk, for: time, context: invocation.world)
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
