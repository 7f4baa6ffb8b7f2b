public import FoundationEssentials
public import Latchkey

extension FileStore {
    /// Returns the names of the files that cannot be read as records, for a person to look at.
    public func damagedFiles() throws -> [String] {
        guard let place = try opened() else { return [] }
        return try recordFiles(of: nil, in: place).sorted().filter { try isDamaged($0, in: place) }
    }

    /// Moves the damaged record of `key` out of the way, so that the key is absent. It is kept for ``longestSetAside``,
    /// with the ``mostSetAside`` newest ones, until ``removeSetAside(ofAbsent:)``.
    ///
    /// - Returns: The file's new name in the directory, `<name>.damaged-<milliseconds since 1970>`.
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)` when the record is not damaged.
    @discardableResult
    public func setDamagedAside(_ key: StoreKey) async throws -> String {
        try key.check()
        return try await setDamagedAside(file: file(of: key))
    }

    /// Moves a file that ``damagedFiles()`` named out of the way.
    @discardableResult
    public func setDamagedAside(file: String) async throws -> String {
        guard !file.contains("/"), file.hasSuffix(RecordWire.suffix), let place = try opened() else {
            throw AuthError(.configuration(.invalid), "the store has no such file")
        }
        return try await committing(in: place) { place, _ in
            guard try isDamaged(file, in: place) else {
                throw AuthError(.configuration(.invalid), "\(path(file)) is not damaged")
            }
            var milliseconds = Int64(context.clock.wall().timeIntervalSince1970 * 1_000)
            while try place.files.status("\(file).damaged-\(milliseconds)") != nil { milliseconds += 1 }
            let aside = "\(file).damaged-\(milliseconds)"
            try disk(.write, at: path(file)) { try place.files.rename(file, to: aside) }
            try pruneSetAside(in: place)
            try syncNames(in: place)
            return aside
        }
    }

    private func isDamaged(_ file: String, in place: TrustedDirectory) throws -> Bool {
        do {
            _ = try record(in: file, of: place, expecting: nil)
            return false
        } catch let error as AuthError where error.code == .store(.damaged) {
            return true
        }
    }
}

extension FileStore {
    /// Returns the directory for an application's store by the XDG base directory specification (0.8):
    /// `$XDG_DATA_HOME/<application>/latchkey`, or `~/.local/share/<application>/latchkey`.
    ///
    /// Relative values are ignored, as the specification requires.
    ///
    /// - Parameters:
    ///   - application: A single path component, such as `com.example.notes`.
    ///   - environment: Where the variables are read. Default: of this process.
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)` for a bad name, or when there is no home
    ///   directory.
    public static func defaultDirectory(
        for application: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> String {
        guard !application.isEmpty, application.first != ".", !application.utf8.contains(0),
            !application.contains("/")
        else { throw AuthError(.configuration(.invalid), "the application's name is no single path component") }
        if let data = environment["XDG_DATA_HOME"], data.first == "/" { return "\(data)/\(application)/latchkey" }
        guard let home = environment["HOME"], home.first == "/" else {
            throw AuthError(.configuration(.invalid), "neither XDG_DATA_HOME nor HOME names an absolute path")
        }
        return "\(home)/.local/share/\(application)/latchkey"
    }
}
