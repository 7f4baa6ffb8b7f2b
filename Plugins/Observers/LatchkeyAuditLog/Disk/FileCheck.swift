import Latchkey

/// Checks that only this user can read or change a file of the log.
enum FileCheck {
    /// Checks the file that was found at `path`.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.insecurePermissions)`.
    static func run(_ found: FileStatus, at path: String) throws {
        guard found.kind == .file else { throw insecure(path, "is not a regular file") }
        guard found.isOwn else { throw insecure(path, "belongs to another user") }
        guard found.links == 1 else { throw insecure(path, "has a second name") }
        guard found.mode & 0o077 == 0 else { throw insecure(path, "is open to others; chmod 600 \(path) closes it") }
    }

    private static func insecure(_ path: String, _ fault: String) -> AuthError {
        AuthError(.store(.insecurePermissions), "\(path) \(fault)")
    }
}
