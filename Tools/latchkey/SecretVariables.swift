import FoundationEssentials
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The variables of this program's environment that hold secrets. No program that it starts inherits them: neither the
/// browser nor the agent, nor what `exec` runs.
enum SecretVariables {
    /// The names of variables that held keys of an encrypted store.
    private static let keys = Locked<Set<String>>([])

    /// Takes the client's secret out of the environment, and overwrites it there, so that it is not in
    /// `/proc/PID/environ` either. Returns the environment as it was. Call it before any thread starts.
    static func take() -> [String: String] {
        let environment = ProcessInfo.processInfo.environment
        if let value = getenv(ClientSecrets.variable) { memset(value, 0, strlen(value)) }
        unsetenv(ClientSecrets.variable)
        return environment
    }

    /// Notes that the variable `name` holds a key. It stays in this process's environment, which other threads read.
    static func note(key name: String) { keys.withLock { _ = $0.insert(name) } }

    /// The names of all of them.
    static var names: Set<String> { keys.withLock { $0.union([ClientSecrets.variable]) } }

    /// Returns the environment for a program that this one starts.
    static func removed(from environment: [String: String]) -> [String: String] {
        let names = names
        return environment.filter { !names.contains($0.key) }
    }
}
