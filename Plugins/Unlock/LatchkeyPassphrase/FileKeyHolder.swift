public import Latchkey
import LatchkeyCrypto

/// Reads a key of 32 bytes from a file. For servers: systemd's `LoadCredential=`, a container's secret, or a file
/// that only the service can read.
///
/// The file holds the 32 bytes, or one line of base64 or of 64 hexadecimal digits. Each name has its own file, all
/// in one directory.
public struct FileKeyHolder: KeyHolder {
    /// `file`.
    public let source = "file"
    private let directory: String
    private let isShared: Bool
    private let context: PluginContext

    /// Creates a holder of the files in `directory`, an absolute path.
    ///
    /// - Parameters:
    ///   - directory: Where the files are.
    ///   - isShared: Whether the files may belong to root, be readable by others, and be links, as a container's
    ///     mounted secrets are. By default only this user may have access.
    ///   - context: Time, randomness and files. Default: the system.
    public init(in directory: String, isShared: Bool = false, context: PluginContext = .system) {
        self.directory = directory
        self.isShared = isShared
        self.context = context
    }

    /// Returns whether the directory exists.
    public func availability() -> UnlockAvailability {
        guard (try? TrustedDirectory.open(directory, .sound, in: context.files)) ?? nil != nil else {
            return .missing(reason: "there is no directory \(directory), or others may write there")
        }
        return .available
    }

    /// Returns the key in the file `name`; `nil` if there is no such file.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.insecurePermissions)` for a file that others can read or write;
    ///   `store(.damaged)` for one without a key; `configuration(.invalid)` for a name that cannot be a file's.
    public func key(_ name: String) throws -> Secret? {
        let path = try path(name)
        let found = try disk(.read, at: path) {
            // A container's secrets are links, and so is what a package store puts there.
            guard isShared else {
                return try TrustedDirectory.open(directory, .sound, in: context.files)?.files.read(name, limit: 1_024) {
                    guard $0.isOwn, $0.mode & 0o077 == 0 || $0.isAccepted else { throw Self.insecure($0, at: path) }
                }
            }
            let refusal = AuthError(.store(.insecurePermissions), "\(path) holds a key and others may change it")
            return try TrustedFile.find(path, in: context.files)?.read(limit: 1_024, else: refusal)
        }
        guard var bytes = found else { return nil }
        defer { for index in bytes.indices { bytes[index] = 0 } }
        return try KeyText.key(in: bytes, of: path)
    }

    private static func insecure(_ found: FileStatus, at path: String) -> AuthError {
        AuthError(
            .store(.insecurePermissions),
            "\(path) holds a key and may be read or changed by others"
                + (found.isOwn ? "; \(OwnFileRemedy.close(path, .file))" : ""))
    }

    /// Makes the file, mode 0600.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.unsupported)` if the file has another key, because
    ///   everything that key opens would be lost.
    public func keep(_ key: Secret, under name: String) throws {
        let path = try path(name)
        guard key.count == KeyText.length else {
            throw AuthError(.configuration(.invalid), "a key in a file has \(KeyText.length) bytes")
        }
        if let found = try self.key(name) {
            guard found != key else { return }
            throw AuthError(.configuration(.unsupported), "\(path) holds another key; move it away yourself")
        }
        let place = try TrustedDirectory.make(directory, .sound, in: context.files)
        try disk(.write, at: path) {
            try place.files.writeNew(name, Array((Base64.encode(key.reveal()) + "\n").utf8))
            try place.files.syncDirectory(".")
        }
    }

    /// Removes the file.
    public func remove(_ name: String) throws {
        let path = try path(name)
        guard let place = try TrustedDirectory.open(directory, .sound, in: context.files) else { return }
        try disk(.write, at: path) {
            try place.files.remove(name)
            try place.files.syncDirectory(".")
        }
    }

    private func path(_ name: String) throws -> String {
        guard !name.isEmpty, name != ".", name != "..", !name.contains("/"), !name.utf8.contains(0) else {
            throw AuthError(.configuration(.invalid), "the key's name is no file's")
        }
        return "\(directory)/\(name)"
    }
}

/// Reads a key from text.
enum KeyText {
    static let length = 32

    /// Reads a key from 32 bytes, or from a line of base64 or hexadecimal digits.
    static func key(in bytes: [UInt8], of place: String) throws -> Secret {
        if bytes.count == length { return Secret(bytes) }
        var line = bytes
        defer { for index in line.indices { line[index] = 0 } }
        while let last = line.last, last == 0x0A || last == 0x0D { line.removeLast() }
        if line.count == 2 * length {
            let digits = line.compactMap { Character(UnicodeScalar($0)).hexDigitValue.map { UInt8($0) } }
            if digits.count == line.count {
                return Secret((0..<length).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] })
            }
        }
        let text = String(decoding: line, as: UTF8.self)
        if let key = (try? Base64.decode(text)) ?? (try? Base64URL.decode(text)), key.count == length {
            return Secret(key)
        }
        throw AuthError(
            .store(.damaged), "\(place) holds no key: 32 bytes, or a line of base64 or 64 hexadecimal digits")
    }
}
