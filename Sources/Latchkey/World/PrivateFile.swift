/// Checks that only this user can read or change a file.
package enum PrivateFile {
    /// Checks the file that was found at `path`.
    ///
    /// - Throws: ``AuthError`` `store(.insecurePermissions)`.
    package static func check(_ found: FileStatus, at path: String) throws(AuthError) {
        guard found.kind == .file else { throw insecure(path, "is not a regular file") }
        guard found.isOwn else { throw insecure(path, found.foreignOwner(at: path)) }
        guard found.links == 1 else { throw insecure(path, "has a second name") }
        guard found.mode & 0o077 == 0 || found.isAccepted else {
            throw insecure(path, "is open to others; \(OwnFileRemedy.close(path, .file))")
        }
    }

    private static func insecure(_ path: String, _ fault: String) -> AuthError {
        AuthError(.store(.insecurePermissions), "\(path) \(fault)")
    }
}
