/// Checks that only this user can read or change a file.
package enum PrivateFile {
    /// Checks the file that was found at `path`.
    ///
    /// - Throws: ``AuthError`` `store(.insecurePermissions)`.
    package static func check(_ found: FileStatus, at path: String) throws(AuthError) {
        guard found.kind == .file else { throw insecure(path, "is not a regular file") }
        guard found.isOwn else { throw insecure(path, "belongs to another user") }
        guard found.links == 1 else { throw insecure(path, "has a second name") }
        guard found.mode & 0o077 == 0 else { throw insecure(path, "is open to others; chmod 600 \(path) closes it") }
    }

    private static func insecure(_ path: String, _ fault: String) -> AuthError {
        AuthError(.store(.insecurePermissions), "\(path) \(fault)")
    }
}
