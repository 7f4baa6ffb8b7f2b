/// Checks that only this user can read or change a file.
package enum PrivateFile {
    /// Checks the file that was found at `path`.
    ///
    /// - Throws: ``AuthError`` `store(.insecurePermissions)`.
    package static func check(_ found: FileStatus, at path: String) throws(AuthError) {
        guard found.kind == .file else { throw insecure(path, "is not a regular file") }
        guard found.isOwn else { throw insecure(path, found.foreignOwner(at: path)) }
        guard found.links == 1 else { throw insecure(path, "has a second name") }
        guard found.mode & 0o077 == 0 else { throw insecure(path, "is open to others; chmod 600 \(path) closes it") }
    }

    private static func insecure(_ path: String, _ fault: String) -> AuthError {
        AuthError(.store(.insecurePermissions), "\(path) \(fault)")
    }
}

extension FileStatus {
    /// What is wrong with a file of somebody else. What belongs to root comes from a command that was run as root, and can be
    /// taken back; what another user has put there is not to be trusted.
    package func foreignOwner(at path: String) -> String {
        owner == 0
            ? "belongs to root; sudo chown -R \"$(id -u)\" \(path) takes it back" : "belongs to another user (\(owner))"
    }
}
