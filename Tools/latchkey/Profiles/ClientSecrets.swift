import Latchkey

/// Gets a client's secret in the way that its profile says.
enum ClientSecrets {
    /// The variable that may have the secret.
    static let variable = "LATCHKEY_CLIENT_SECRET"

    /// Returns the secret for `profile`; `nil` for a public client.
    ///
    /// - Throws: `configuration(invalid)` if there is no secret; `configuration(changed)` if the environment's was
    ///   allowed for another service or client; `store(insecurePermissions)` if others can read its file.
    static func obtain(for profile: Profile, in invocation: Invocation) async throws -> Secret? {
        switch profile.clientSecret {
        case .none: return nil
        case .environment(let receiver):
            guard receiver == profile.secretReceiver else {
                throw ToolError(
                    .configuration(.changed), "error.secretReceiver", ["profile": profile.name, "variable": variable],
                    hint: .run("latchkey profiles edit \(profile.name) --\(Option.clientSecretEnvironment.name)"))
            }
            let line = firstLine(Array(invocation.environment[variable, default: ""].utf8))
            guard !line.isEmpty else {
                throw ToolError(
                    .configuration(.invalid), "error.secretVariable",
                    ["profile": profile.name, "variable": variable])
            }
            return Secret(line)
        case .file(let path): return try read(path, for: profile, in: invocation)
        case .prompt:
            let words = invocation.texts("ask.clientSecret")
            guard
                let secret = try await Presenters.line(
                    TerminalQuestion(.clientSecret), words, invocation, hint: fileWay(for: profile, in: invocation))
            else { throw ToolError(.declined, "error.clientSecretDeclined") }
            return secret
        }
    }

    /// Returns the secret at `path`, and tells the person what is to know about its place.
    static func read(_ path: String, for profile: Profile, in invocation: Invocation) throws -> Secret {
        try read(path, invocation.world.files, profile: profile.name) { text in
            invocation.console.note("latchkey: " + Console.printable(invocation.shown(text)))
        }
    }

    /// How a secret comes that cannot be asked for. A profile of this very command is not there yet.
    private static func fileWay(for profile: Profile, in invocation: Invocation) -> ToolText {
        let option = "--\(Option.clientSecretFile.name) FILE"
        guard !invocation.arguments.has(.askClientSecret) else {
            return ToolText("hint.secretFile", ["option": option, "instead": "--\(Option.askClientSecret.name)"])
        }
        return .run("latchkey profiles edit \(profile.name) \(option)")
    }

    /// Returns what to do about a service that refuses the client of `profile`, if the reason may be the secret.
    static func hint(for profile: Profile, in invocation: Invocation) -> ToolText? {
        let isLogin = invocation.arguments.command.name == Command.login.name
        func way(_ option: Option) -> String {
            isLogin ? "--\(option.name)" : "latchkey profiles edit \(profile.name) --\(option.name)"
        }
        if isUnused(by: profile, in: invocation) {
            return ToolText(
                isLogin ? "hint.secretUnusedLogin" : "hint.secretUnused",
                ["variable": variable, "way": way(.clientSecretEnvironment)])
        }
        guard profile.service == .oauth, profile.clientSecret != .none, !profile.sendsSecretInBody,
            !profile.sendsSecretRaw
        else { return nil }
        return ToolText("hint.clientBasic", ["raw": way(.clientSecretRaw), "body": way(.clientSecretInBody)])
    }

    /// Whether the environment has a secret, and `profile` takes none.
    static func isUnused(by profile: Profile, in invocation: Invocation) -> Bool {
        profile.service == .oauth && profile.clientSecret == .none
            && !invocation.environment[variable, default: ""].isEmpty
    }

    /// Returns the first line of the file at `path`, an absolute path, or of the descriptor that it names.
    ///
    /// Links are followed if no other user could change them. Root's files are sound: a container's secrets are root's.
    ///
    /// - Parameter warn: Receives what the person should know: that others may read the file.
    static func read(
        _ path: String, _ files: any FileAccess, profile: String? = nil, warn: (ToolText) -> Void = { _ in }
    ) throws -> Secret {
        if let number = SecretDescriptor.number(in: path) { return try read(number, path, profile) }
        let insecure = ToolError(
            .store(.insecurePermissions), "error.secretInsecure", ["path": path], hint: ToolText("hint.secretPlace"))
        let found: [UInt8]?
        do {
            let file = try TrustedFile.find(path, in: files)
            found = try file?.read(limit: sizeLimit, else: insecure) { status in
                guard status.mode & 0o044 != 0, !status.isAccepted else { return }
                // This user can close a file of their own. The mode of any other file is the choice of its owner.
                let isManaged = !status.isOwn || status.mode & 0o200 == 0 || file?.isLinked == true
                guard status.mode & 0o004 == 0 || isManaged else { throw insecure }
                warn(ToolText("note.secretReadable", ["path": path]))
            }
        } catch FileError.unexpectedKind {
            throw ToolError(.configuration(.invalid), "error.secretKind", ["path": path])
        } catch is FileError {
            throw ToolError(.store(.unavailable), "error.secretUnreadable", ["path": path])
        }
        guard let bytes = found else {
            throw ToolError(.configuration(.invalid), "error.secretMissing", ["path": path])
        }
        let line = firstLine(bytes)
        guard !line.isEmpty else {
            throw ToolError(.configuration(.invalid), "error.secretEmpty", ["path": path])
        }
        try demandText(line, path)
        // A second secret would be passed over in silence: another client's, or the one before a change.
        if bytes.drop(while: { $0 != 0x0A && $0 != 0x0D }).contains(where: { $0 > 0x20 }) {
            warn(ToolText("note.secretLines", ["path": path]))
        }
        return Secret(line)
    }

    private static func read(_ number: Int32, _ path: String, _ profile: String?) throws -> Secret {
        let line = try SecretDescriptor.line(in: number, limit: sizeLimit).map(firstLine) ?? []
        guard !line.isEmpty else {
            let option = "--\(Option.clientSecretFile.name) FILE"
            throw ToolError(
                .configuration(.invalid), "error.secretDescriptor", ["path": path],
                hint: ToolText(
                    "hint.secretAgain", ["command": "latchkey profiles edit \(profile ?? "NAME") \(option)"]))
        }
        try demandText(line, path)
        return Secret(line)
    }

    /// Says that a secret from a descriptor is not remembered.
    static func sayOnce(_ profile: Profile, _ invocation: Invocation) {
        guard case .file(let path) = profile.clientSecret, SecretDescriptor.number(in: path) != nil else { return }
        let text = invocation.shown("note.secretOnce", ["path": path])
        invocation.console.note("latchkey: " + Console.printable(text))
    }

    private static let sizeLimit = 16_384

    /// The bytes before the first line break, which no secret has.
    private static func firstLine(_ bytes: [UInt8]) -> [UInt8] {
        Array(PipedText.withoutMark(bytes).prefix { $0 != 0x0A && $0 != 0x0D })
    }

    private static func demandText(_ line: [UInt8], _ path: String) throws {
        guard !PipedText.isText(line) else { return }
        throw ToolError(
            .configuration(.invalid), "error.secretEncoding", ["path": path], hint: ToolText("hint.inputEncoding"))
    }
}
