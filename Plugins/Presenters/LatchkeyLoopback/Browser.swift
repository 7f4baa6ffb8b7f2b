import FoundationEssentials
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import CSpawn
    import Glibc
#elseif canImport(Musl)
    import CSpawn
    import Musl
#endif

/// Starts the person's browser, without a shell.
struct Browser: Sendable {
    /// The programs with their arguments, in the order to try. `%s` stands for the address, which else comes last.
    var commands: [[String]]
    /// The environment for the program.
    var environment: [String: String]

    /// Takes the commands from `$BROWSER` (a list with colons; `%s` stands for the address), then the system's own.
    ///
    /// The program is given no variable whose name begins with `LATCHKEY_`: some hold secrets and tokens.
    init(environment: [String: String]) {
        self.environment = environment.filter { !$0.key.hasPrefix("LATCHKEY_") }
        commands = (environment["BROWSER"] ?? "").split(separator: ":").map { BrowserCommand($0).words }
            .filter { !$0.isEmpty }
        #if canImport(Darwin)
            commands.append(["/usr/bin/open"])
        #else
            // Without a display, xdg-open would start a text browser, which has no terminal here.
            if environment["DISPLAY"] ?? environment["WAYLAND_DISPLAY"] != nil { commands.append(["xdg-open"]) }
        #endif
    }

    /// The browser according to this process's environment.
    static var system: Browser { Browser(environment: ProcessInfo.processInfo.environment) }

    /// Starts the first command that can be started; `false` when none can.
    ///
    /// - Parameter failed: Runs later, on another thread, if the command ends with a failure.
    func open(_ url: String, failed: @escaping @Sendable () -> Void = {}) -> Bool {
        for command in commands {
            guard let process = spawn(BrowserCommand.line(command, for: url)) else { continue }
            // A thread waits for the command, because nothing else may, and a zombie process would stay.
            let isWatched = DetachedThread.start {
                var status: Int32 = 0
                while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return } }
                if status != 0 { failed() }
            }
            if !isWatched { waitpid(process, nil, WNOHANG) }
            return true
        }
        return false
    }

    private func spawn(_ command: [String]) -> pid_t? {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { posix_spawn_file_actions_destroy(&actions) }
        guard posix_spawnattr_init(&attributes) == 0 else { return nil }
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // Do not pass descriptors that a library left open to the browser.
        #if canImport(Darwin)
            let closing = Int(POSIX_SPAWN_CLOEXEC_DEFAULT)
        #else
            let closing = 0
            guard shim_spawn_close_others(&actions) == 0 else { return nil }
        #endif
        // Start a group of its own, because Ctrl-C in the terminal is not meant for the browser.
        posix_spawnattr_setpgroup(&attributes, 0)
        // Reset the runtime's blocked signals and an ignored SIGPIPE, which the browser must not inherit.
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigmask(&attributes, &mask)
        sigaddset(&mask, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &mask)
        let flags = Int(POSIX_SPAWN_SETPGROUP) | Int(POSIX_SPAWN_SETSIGMASK) | Int(POSIX_SPAWN_SETSIGDEF) | closing
        posix_spawnattr_setflags(&attributes, Int16(flags))
        let words = Self.pointers(command)
        let variables = Self.pointers(environment.map { "\($0.key)=\($0.value)" })
        defer { for pointer in words + variables { free(pointer) } }
        shim_spawn_take_priority()
        var process: pid_t = 0
        guard let name = words[0], posix_spawnp(&process, name, &actions, &attributes, words, variables) == 0 else {
            return nil
        }
        return process
    }

    private static func pointers(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { text in strdup(text) } + [nil]
    }
}
