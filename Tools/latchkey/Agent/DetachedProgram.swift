import CSpawn

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Starts programs that have nothing of this one's terminal.
enum DetachedProgram {
    /// Starts the program at `path` in a session of its own, so that it does not get the terminal's signals. It does not
    /// inherit ignored or blocked signals, other descriptors, or secrets in variables.
    ///
    /// - Parameters:
    ///   - path: The program.
    ///   - words: Its arguments, its name first.
    ///   - added: Variables that it gets in addition to this process's.
    ///   - output: The descriptor that becomes its standard output. Its input is empty, its error output is lost.
    /// - Returns: Its number; `nil` if it cannot be started.
    static func start(
        _ path: String, _ words: [String], adding added: [String: String] = [:], output: Int32
    ) -> pid_t? {
        var arguments = words.map { strdup($0) } + [nil]
        let more = added.map { strdup("\($0.key)=\($0.value)") }
        defer { for text in arguments + more { free(text) } }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes, shim_spawn_own_session() | Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        _ = shim_spawn_close_others(&actions)
        shim_spawn_take_priority()
        var process: pid_t = 0
        var variables = variablesWithoutSecrets(replacing: Set(added.keys)) + more + [nil]
        guard posix_spawn(&process, path, &actions, &attributes, &arguments, &variables) == 0 else { return nil }
        return process
    }

    /// Returns this process's variables without the client's secret, keys and access tokens, which an agent that stays for
    /// hours does not need, and without those in `replaced`.
    private static func variablesWithoutSecrets(
        replacing replaced: Set<String>
    ) -> [UnsafeMutablePointer<CChar>?] {
        let left = SecretVariables.names.union(replaced).map { "\($0)=" } + ["LATCHKEY_ACCESS_TOKEN"]
        var variables: [UnsafeMutablePointer<CChar>?] = []
        var place = environ
        while let variable = place.pointee {
            if !left.contains(where: { strncmp(variable, $0, $0.utf8.count) == 0 }) { variables.append(variable) }
            place += 1
        }
        return variables
    }
}
