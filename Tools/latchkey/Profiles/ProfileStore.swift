import Latchkey
import LatchkeyJSON

/// Keeps profiles as private files, `NAME.json` in one directory, and the name of the default one beside it.
///
/// Both directories and those above them must belong to root or this user, and only the owner may write to them:
/// otherwise another user could choose the service that the person signs in to.
struct ProfileStore: Sendable {
    /// The directory `…/latchkey`, with `profiles/` and `default-profile`.
    let directory: String
    private let world: PluginContext
    private let limit = 65_536

    /// Creates the store below `XDG_CONFIG_HOME`, or below `.config` in the home directory.
    ///
    /// - Throws: `configuration(invalid)` if neither is there, or if one that counts is not in UTF-8.
    init(environment: [String: String], world: PluginContext) throws {
        // Other bytes have become this mark, and would name another directory.
        let broken = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "HOME"].first {
            environment[$0]?.contains("\u{FFFD}") == true
        }
        if let broken {
            throw ToolError(
                .configuration(.invalid), "error.notUTF8", ["variable": broken], hint: ToolText("hint.noHome"))
        }
        if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") {
            directory = base + "/latchkey"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            directory = home + "/.config/latchkey"
        } else {
            throw ToolError(.configuration(.invalid), "error.noConfiguration", hint: ToolText("hint.noHome"))
        }
        self.world = world
    }

    /// Returns the names of the profiles, sorted.
    ///
    /// - Throws: `store(insecurePermissions)`, here and below, if others may change the directory or one above it.
    func names() throws -> [String] {
        try reaching { try opened(profiles)?.list(".") ?? [] }
            .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.filter(ProfileName.isValid).sorted()
    }

    /// Returns the profile called `name`; `nil` if there is none.
    ///
    /// - Throws: `store(insecurePermissions)` if others may change the file, because they could choose the service
    ///   that the person signs in to. `configuration(invalid)` if it cannot be read as a profile.
    func profile(_ name: String) throws -> Profile? {
        guard let found = try load(name) else { return nil }
        return found.profile
    }

    /// Writes `profile` in place of the one of that name, completely or not at all.
    func save(_ profile: Profile) throws {
        if let found = try? load(profile.name), found.version > ProfileWire.version {
            throw ToolError(.store(.newerVersion), "error.profileNewer", ["profile": profile.name])
        }
        try (try? load(profile.name))?.profile.checkKnown()
        if try isLinked(profile.name), try isKept(profile) { return }
        try write(
            ProfileWire.encode(profile).serialized() + [0x0A], to: "\(profile.name).json", in: profiles, "what.profile")
    }

    /// Removes the profile called `name`, if it exists.
    func remove(_ name: String) throws {
        try reaching {
            guard ProfileName.isValid(name), let files = try opened(profiles) else { return }
            try files.remove("\(name).json")
            try files.syncDirectory(".")
        }
        if try defaultName() == name { try reaching { try opened(directory)?.remove(Self.defaultFile) } }
    }

    /// Returns the name of the profile of the last login.
    func defaultName() throws -> String? {
        guard let bytes = try read(Self.defaultFile, in: directory, limit: 256, "what.default")
        else { return nil }
        let name = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
        return ProfileName.isValid(name) ? name : nil
    }

    /// Makes `name` the default.
    func setDefault(_ name: String) throws {
        try write(Array("\(name)\n".utf8), to: Self.defaultFile, in: directory, "what.default")
    }

    /// Returns the least safe place that the file `store` allows, one word.
    func demandedPlace() throws -> String? {
        guard let bytes = try read("store", in: directory, limit: 256, "what.demand") else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
    }

    private var profiles: String { directory + "/profiles" }
    private static let defaultFile = "default-profile"

    // A class: in an optimized build, Swift 6.3 loses all but the first member of a profile that is taken out of an
    // optional tuple.
    private final class Found {
        let profile: Profile
        let version: Int64

        init(_ found: (Profile, version: Int64)) { (profile, version) = found }
    }

    private func load(_ name: String) throws -> Found? {
        guard ProfileName.isValid(name) else { return nil }
        let file = "\(name).json"
        guard let bytes = try read(file, in: profiles, limit: limit, "what.profile") else { return nil }
        do {
            return Found(try ProfileWire.decode(try JSON.parse(bytes), name: name))
        } catch {
            throw ToolError(
                .configuration(.invalid), "error.profileUnreadable",
                ["path": "\(profiles)/\(file)", "problem": "\(error)"],
                hint: ToolText("hint.profileUnreadable", ["command": "latchkey profiles remove \(name) --force"]))
        }
    }

    /// Opens the files of a directory; `nil` if it is absent.
    private func opened(_ directory: String) throws -> (any FileAccess)? {
        try TrustedDirectory.open(directory, .sound, in: world.files)?.files
    }

    /// Reads the whole content; `nil` if there is none. `what` is the key of the file's name, for people.
    ///
    /// The file may be a link into a package store or a folder of dotfiles, and root's. It holds no secret, so it need only
    /// be safe from changes.
    private func read(
        _ file: String, in directory: String, limit: Int, _ what: String
    ) throws -> [UInt8]? {
        let insecure = ToolError(
            .store(.insecurePermissions), "error.changeable", ["path": "\(directory)/\(file)"],
            parts: ["what": ToolText(what)])
        return try reaching {
            do {
                // What this tool writes is private. Who manages a file elsewhere may let a group of one write it.
                let found = try TrustedFile.find("\(directory)/\(file)", in: world.files)
                return try found?.read(limit: limit, else: insecure, isSetting: found?.isLinked == true)
            } catch FileError.unexpectedKind {
                throw insecure
            }
        }
    }

    /// Checks that `profile` can be saved, before somebody signs in with it: writes its content, and removes it again.
    ///
    /// - Throws: As ``save(_:)`` would; `store(readOnly)` if its file is a link to one that this user cannot write, and it
    ///   says something else.
    func checkSaving(_ profile: Profile) throws {
        guard try !isKept(profile) else { return }
        try reaching {
            guard try target("\(profile.name).json", in: profiles, "what.profile") == nil else { return }
            let place = try TrustedDirectory.make(profiles, .sound, in: world.files)
            let trial = ".\(world.randomName()).trial"
            defer { try? place.files.remove(trial) }
            try place.files.writeNew(trial, ProfileWire.encode(profile).serialized())
        }
    }

    private func isLinked(_ name: String) throws -> Bool {
        try reaching { try TrustedFile.find("\(profiles)/\(name).json", in: world.files)?.isLinked == true }
    }

    /// Whether the file says the same already. A profile without a place keeps its session in files.
    private func isKept(_ profile: Profile) throws -> Bool {
        guard var found = try? load(profile.name)?.profile else { return false }
        found.place = found.place ?? .file
        var wanted = profile
        wanted.place = wanted.place ?? .file
        return found == wanted
    }

    /// Returns where a file is to be written, if it is a link: where that leads.
    private func target(_ file: String, in directory: String, _ what: String) throws -> TrustedFile? {
        guard let found = try TrustedFile.find("\(directory)/\(file)", in: world.files), found.isLinked else {
            return nil
        }
        guard let status = found.status, status.isOwn, status.mode & 0o200 != 0 else { throw managed(found.path, what) }
        return found
    }

    private func managed(_ path: String, _ what: String) -> ToolError {
        ToolError(
            .store(.readOnly), "error.profileManaged", ["path": path], parts: ["what": ToolText(what)],
            hint: ToolText("hint.profileManaged"))
    }

    private func write(_ bytes: [UInt8], to file: String, in directory: String, _ what: String) throws {
        try reaching {
            let place = try TrustedDirectory.make(directory, .sound, in: world.files)
            guard let found = try target(file, in: directory, what) else {
                return try replace(file, in: place, with: bytes)
            }
            do { try replace(found.name, in: found.directory, with: bytes) } catch let error as FileError
                where error == .denied || error == .readOnly
            { throw managed(found.path, what) }
        }
    }

    private func replace(_ file: String, in place: TrustedDirectory, with bytes: [UInt8]) throws {
        let temporary = ".\(world.randomName()).new"
        try place.files.writeNew(temporary, bytes)
        do {
            try place.files.rename(temporary, to: file)
        } catch {
            try? place.files.remove(temporary)
            throw error
        }
        try place.files.syncDirectory(".")
        try place.syncParents()
    }

    private func reaching<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as AuthError {
            throw error
        } catch let error as ToolError {
            throw error
        } catch {
            let reason: AuthError.StoreReason =
                switch error as? FileError {
                case .full: .full
                case .readOnly, .denied: .readOnly
                default: .unavailable
                }
            throw ToolError(
                .store(reason), "error.profilesUnreachable", ["path": directory],
                parts: ["problem": FileProblem.text(error)])
        }
    }
}

/// Texts for errors of the disk.
private enum FileProblem {
    static func text(_ error: any Error) -> ToolText {
        switch error as? FileError {
        case .denied: ToolText("problem.denied")
        case .readOnly: ToolText("problem.readOnly")
        case .full: ToolText("problem.full")
        case .missing: ToolText("problem.missing")
        case .unexpectedKind: ToolText("problem.kind")
        case .tooLarge: ToolText("problem.large")
        case .failed(let number): SystemProblem.text(number)
        default: ToolText("problem.other")
        }
    }
}
