import Latchkey
import LatchkeyFileStore

/// The directory `$XDG_DATA_HOME/latchkey`, in which each profile has one for its session.
struct DataFolder: Sendable {
    /// What else is in it. A profile of such a name gets a directory that no profile can be called after.
    private static let taken: Set<String> = ["agent", "audit", "latchkey"]

    /// The absolute path.
    let path: String

    init(_ environment: [String: String]) throws {
        let inner = try FileStore.defaultDirectory(for: "latchkey", environment: environment)
        path = String(inner.dropLast("/latchkey".count))
    }

    /// Returns the directory for the session of a profile. Each profile has its own, so that nothing of one profile
    /// is sent with another.
    func store(of profile: String) -> String {
        // A disk that does not tell capital letters from small ones must not mix them up either.
        "\(path)/\(Self.taken.contains(profile.lowercased()) ? "_" : "")\(profile)"
    }

    /// Returns the directory for the security log of a profile.
    func log(of profile: String) -> String { "\(path)/audit/\(profile)" }
}
