public import Latchkey

/// The place where an agent listens: a socket in a directory that only this user can access.
public struct AgentPlace: Hashable, Sendable {
    /// The absolute path of the directory. It is made with mode 0700.
    public let directory: String

    /// Creates a place in `directory`.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)` if the socket's path would be longer than the
    ///   107 bytes that `unix(7)` allows.
    public init(in directory: String) throws(AuthError) {
        self.directory = directory
        guard directory.hasPrefix("/"), socketPath.utf8.count < Self.longestPath else {
            throw AuthError(
                .configuration(.invalid), "the agent's socket in \(directory) would have a path of over 107 bytes")
        }
    }

    /// Returns the usual place of an application: below `$XDG_RUNTIME_DIR` if that is set, else `otherwise`.
    public static func usual(
        for application: String, otherwise: String, environment: [String: String]
    ) throws(AuthError) -> AgentPlace {
        guard let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else {
            return try AgentPlace(in: "\(otherwise)/agent")
        }
        return try AgentPlace(in: "\(runtime)/\(application)")
    }

    /// The path of the socket.
    public var socketPath: String { "\(directory)/\(Self.socketName)" }

    static let socketName = "agent.sock"
    static let lockName = "agent.lock"
    private static let longestPath = 108
}
