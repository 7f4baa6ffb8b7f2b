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
        case .file(let path): return try read(path, invocation.world.files)
        case .prompt:
            let words = invocation.texts("ask.clientSecret")
            guard
                let secret = try await Presenters.line(
                    TerminalQuestion(.clientSecret), words, invocation, hint: fileWay(for: profile, in: invocation))
            else { throw ToolError(.declined, "error.clientSecretDeclined") }
            return secret
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

    /// Returns the first line of the private file at `path`, an absolute path.
    static func read(_ path: String, _ files: any FileAccess) throws -> Secret {
        let parts = path.split(separator: "/")
        let parent = (path.hasPrefix("/") ? "/" : "") + parts.dropLast().joined(separator: "/")
        let found: [UInt8]?
        do {
            found = try TrustedDirectory.open(parent, .sound, in: files)?.files.read(
                String(parts.last ?? "."), limit: 16_384
            ) { status in
                guard status.isOwn, status.mode & 0o077 == 0 else {
                    throw ToolError(.store(.insecurePermissions), "error.secretInsecure", ["path": path])
                }
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
        return Secret(line)
    }

    /// The bytes before the first line break, which no secret has.
    private static func firstLine(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.prefix { $0 != 0x0A && $0 != 0x0D }) }
}
