import Latchkey
import LatchkeyAuditLog
import LatchkeySystem

/// The security logs of the profiles that a command works with.
final class SecurityLogs: Sendable {
    private let logs = Locked<[String: AuditLog]>([:])

    /// Returns the log of `profile`. Each profile has its own, beside the directories of their sessions.
    func log(of profile: String, environment: [String: String], world: PluginContext) throws -> AuditLog {
        let directory = try DataFolder(environment).log(of: profile)
        return logs.withLock { logs in
            if let log = logs[profile] { return log }
            let log = AuditLog(at: directory, context: world)
            logs[profile] = log
            return log
        }
    }

    /// Writes what the clients told.
    ///
    /// - Returns: Why not; `nil` if it was written.
    func flush() async -> AuthError? {
        for log in logs.withLock({ Array($0.values) }) {
            do { try await log.flush() } catch { return error as? AuthError }
        }
        return nil
    }
}

/// Passes to a log what happens to the accounts. The tool's gate opens with every command that needs it, and would
/// fill the log.
struct AccountAuditing: AuthEventObserving {
    let log: AuditLog

    func observe(_ observation: AuthObservation) {
        if case .gate = observation { return }
        log.observe(observation)
    }

    func observe(_ event: AuthEvent) { log.observe(event) }
}

extension Invocation {
    /// The log of `profile`.
    func securityLog(of profile: String) throws -> AuditLog {
        try securityLogs.log(of: profile, environment: environment, world: world)
    }

    /// Writes what the clients told, and says so to a person if it cannot be written.
    func flushSecurityLogs() async {
        guard let error = await securityLogs.flush(), !arguments.has(.json) else { return }
        console.note(Console.printable(texts("log.unwritten", ["reason": error.message])))
    }
}
