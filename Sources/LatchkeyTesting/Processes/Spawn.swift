import FoundationEssentials

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Starts programs for tests.
package enum Spawn {
    /// The path of the running program, to start it again in another role.
    package static var own: String {
        #if canImport(Darwin)
            CommandLine.arguments[0]
        #else
            "/proc/self/exe"
        #endif
    }

    /// Starts the program at the path `program`.
    ///
    /// - Parameters:
    ///   - words: Its name and its arguments.
    ///   - variables: Its environment, as `NAME=value`; `nil` is that of this process.
    ///   - descriptors: Those of this process that it gets as its own 0, 1 and so on.
    /// - Returns: The process; `nil` if it could not be started, and `errno` says why.
    package static func start(
        _ program: String, _ words: [String], variables: [String]? = nil, descriptors: [Int32: Int32]
    ) -> Int32? {
        let variables = variables ?? ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
        var argv = words.map { strdup($0) } + [nil]
        var envp = variables.map { strdup($0) } + [nil]
        defer { for text in argv + envp { free(text) } }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors { posix_spawn_file_actions_adddup2(&actions, descriptor, number) }
        var process: pid_t = 0
        let problem = posix_spawn(&process, program, &actions, nil, &argv, &envp)
        if problem != 0 { errno = problem }
        return problem == 0 ? process : nil
    }
}
