import Latchkey
import LatchkeyJSON

/// Keeps profiles as private files, `NAME.json` in one directory, and the name of the default one beside it.
///
/// Both directories, and those above them, are root's or this user's, and writable by nobody else: whoever else could
/// write one would choose to whom the person signs in.
struct ProfileStore: Sendable {
    /// `…/latchkey`: holds `profiles/` and `default-profile`.
    let directory: String
    private let world: PluginContext
    private let limit = 65_536

    /// The store below `XDG_CONFIG_HOME`, or below `.config` of the home directory.
    init(environment: [String: String], world: PluginContext) throws {
        if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") {
            directory = base + "/latchkey"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            directory = home + "/.config/latchkey"
        } else {
            throw ToolError(.configuration(.invalid), "error.noConfiguration")
        }
        self.world = world
    }

    /// The names of the profiles, sorted.
    ///
    /// - Throws: `store(insecurePermissions)` when somebody else may change the directory or one above it, here and below.
    func names() throws -> [String] {
        try reaching { try opened(profiles)?.list(".") ?? [] }
            .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.filter(ProfileName.isValid).sorted()
    }

    /// The profile called `name`; `nil` when there is none.
    ///
    /// - Throws: `store(insecurePermissions)` when somebody else may change the file: whoever can, chooses to whom
    ///   the person signs in. `configuration(invalid)` when it cannot be read as a profile.
    func profile(_ name: String) throws -> Profile? {
        guard let found = try load(name) else { return nil }
        return found.profile
    }

    /// Writes `profile` in place of what has its name, whole or not at all.
    func save(_ profile: Profile) throws {
        if let found = try? load(profile.name), found.version > ProfileWire.version {
            throw ToolError(.store(.newerVersion), "error.profileNewer", ["profile": profile.name])
        }
        try (try? load(profile.name))?.profile.checkKnown()
        try write(ProfileWire.encode(profile).serialized() + [0x0A], to: "\(profile.name).json", in: profiles)
    }

    /// Removes the profile called `name`; absent is fine.
    func remove(_ name: String) throws {
        try reaching {
            guard ProfileName.isValid(name), let files = try opened(profiles) else { return }
            try files.remove("\(name).json")
            try files.syncDirectory(".")
        }
        if try defaultName() == name { try reaching { try opened(directory)?.remove(Self.defaultFile) } }
    }

    /// The name of the profile that was last logged in with.
    func defaultName() throws -> String? {
        guard let bytes = try read(Self.defaultFile, in: directory, limit: 256, "what.default")
        else { return nil }
        let name = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
        return ProfileName.isValid(name) ? name : nil
    }

    /// Makes `name` the default.
    func setDefault(_ name: String) throws {
        try write(Array("\(name)\n".utf8), to: Self.defaultFile, in: directory)
    }

    /// What place for sessions the file `store` demands, in one word.
    func demandedPlace() throws -> String? {
        guard let bytes = try read("store", in: directory, limit: 256, "what.demand") else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
    }

    private var profiles: String { directory + "/profiles" }
    private static let defaultFile = "default-profile"

    // A class, because Swift 6.3 loses all but the first member of a profile that an optimized build takes out of an
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
                ["path": "\(profiles)/\(file)", "problem": "\(error)"])
        }
    }

    /// The files of a directory; `nil` when it is absent.
    private func opened(_ directory: String) throws -> (any FileAccess)? {
        try TrustedDirectory.open(directory, .sound, in: world.files)?.files
    }

    /// The whole content; `nil` when nothing is there. `what` is the key of what the file is, for people.
    private func read(
        _ file: String, in directory: String, limit: Int, _ what: String
    ) throws -> [UInt8]? {
        let insecure = ToolError(
            .store(.insecurePermissions), "error.changeable", ["path": "\(directory)/\(file)"],
            parts: ["what": ToolText(what)])
        return try reaching {
            do {
                return try opened(directory)?.read(file, limit: limit) { found in
                    guard found.isOwn, found.mode & 0o022 == 0 else { throw insecure }
                }
            } catch FileError.unexpectedKind {
                throw insecure
            }
        }
    }

    private func write(_ bytes: [UInt8], to file: String, in directory: String) throws {
        try reaching {
            let place = try TrustedDirectory.make(directory, .sound, in: world.files)
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

/// Words for what a disk said.
private enum FileProblem {
    static func text(_ error: any Error) -> ToolText {
        switch error as? FileError {
        case .denied: ToolText("problem.denied")
        case .readOnly: ToolText("problem.readOnly")
        case .full: ToolText("problem.full")
        case .missing: ToolText("problem.missing")
        case .unexpectedKind: ToolText("problem.kind")
        case .tooLarge: ToolText("problem.large")
        case .failed(let number): ToolText("problem.number", ["number": "\(number)"])
        default: ToolText("problem.other")
        }
    }
}
