/// What was being done when the disk failed.
package enum DiskUse: Sendable {
    case read, write
}

/// Runs `body` and turns its ``FileError`` into an ``AuthError`` that says what it means for the person.
package func disk<Value>(_ use: DiskUse, at path: String, _ body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch let error as FileError {
        throw AuthError.disk(error, use, at: path)
    }
}

extension AuthError {
    /// Returns the disk's error as a store error.
    package static func disk(_ error: FileError, _ use: DiskUse, at path: String) -> AuthError {
        let doing = use == .read ? "read" : "written"
        return switch error {
        case .denied:
            AuthError(.store(use == .read ? .unavailable : .readOnly), "\(path) cannot be \(doing) by this user")
        case .readOnly: AuthError(.store(.readOnly), "\(path) is on a file system that cannot be written")
        case .full: AuthError(.store(.full), "\(path) could not be written, because the disk or the quota is full")
        case .missing: AuthError(.store(.unavailable), "\(path) has disappeared")
        case .exists: AuthError(.store(.unavailable), "\(path) is there already")
        case .unexpectedKind: AuthError(.store(.insecurePermissions), "\(path) is a link, or not a regular file")
        case .tooLarge: AuthError(.store(.damaged), "\(path) is larger than any record")
        case .noLocks: AuthError(.store(.unavailable), "\(path) is on a file system that cannot lock files")
        case .failed(let number):
            AuthError(.store(.unavailable), "\(path) could not be \(doing): \(FileError.words(number))")
        }
    }
}
