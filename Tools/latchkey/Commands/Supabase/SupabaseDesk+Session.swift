import Latchkey
import LatchkeyJSON
import LatchkeySupabase

/// What the session holds, and what the app keeps of the person.
extension SupabaseDesk {
    /// Shows the claims of the access token, after a check.
    func showClaims() async throws {
        let claims = try await ask { handle throws(AuthError) in try await handle.claims() }
        try show(["claims": claims], Self.lines(claims.object ?? [:]))
    }

    /// Shows the app's metadata, or changes it.
    func metadata() async throws {
        var update = SupabaseUserUpdate()
        for word in operands {
            let (name, value) = try assignment(word)
            update.metadata[name] = value
        }
        let user = try await ask { [update] handle throws(AuthError) in
            update.metadata.isEmpty ? try await handle.user() : try await handle.update(update)
        }
        try show(
            ["metadata": .object(user.metadata)],
            user.metadata.isEmpty ? [invocation.texts("supabase.noMetadata")] : Self.lines(user.metadata))
    }

    /// Reads NAME=VALUE or NAME:=JSON.
    private func assignment(_ word: String) throws -> (name: String, value: JSON) {
        guard let sign = word.firstIndex(of: "="), sign > word.startIndex else {
            throw UsageError("usage.assignment", command: arguments.command)
        }
        let text = String(word[word.index(after: sign)...])
        let before = word.index(before: sign)
        guard word[before] == ":" else { return (String(word[..<sign]), .string(text)) }
        // The reader takes no value that stands alone.
        let values = (try? JSON.parse(Array("[\(text)]".utf8)))?.array ?? []
        guard before > word.startIndex, values.count == 1, let value = values.first else {
            throw UsageError("usage.assignment", command: arguments.command)
        }
        return (String(word[..<before]), value)
    }

    private static func lines(_ members: [String: JSON]) -> [String] {
        Columns.lines(
            members.sorted { $0.key < $1.key }.map { name, value in
                (name, value.string ?? String(decoding: value.serialized(), as: UTF8.self))
            })
    }

    /// Prints a token of the identity provider, as `latchkey token` prints the project's.
    func printProviderToken() async throws {
        let kind = operands.first ?? "access"
        guard ["access", "refresh"].contains(kind) else {
            throw UsageError("usage.providerToken", command: arguments.command)
        }
        let tokens = try await ask { handle throws(AuthError) in try await handle.providerTokens() }
        guard let token = kind == "access" ? tokens.access : tokens.refresh else {
            throw ToolError(.refused(.other), "error.noProviderToken", hint: ToolText("hint.providerToken"))
        }
        guard arguments.has(.json) else {
            return try invocation.console.say(token.handedOver().revealText())
        }
        try show(["token": .string(token.revealText())], [])
    }
}

/// The passkeys.
extension SupabaseDesk {
    func listPasskeys() async throws {
        let passkeys = try await ask { handle throws(AuthError) in try await handle.passkeys() }
        let list = passkeys.map { passkey -> JSON in
            var members: [String: JSON] = ["id": .string(passkey.id)]
            members["name"] = passkey.name.map(JSON.string)
            return .object(members)
        }
        try show(
            ["passkeys": .array(list)],
            passkeys.isEmpty
                ? [invocation.texts("supabase.noPasskeys")] : Columns.lines(passkeys.map { ($0.id, $0.name ?? "") }))
    }

    func renamePasskey() async throws {
        let (id, name) = (operands[0], operands[1])
        try await ask { handle throws(AuthError) in try await handle.rename(passkey: id, to: name) }
        try show(["passkey": .string(id)], [invocation.texts("supabase.passkeyRenamed", ["id": id, "name": name])])
    }

    func removePasskey() async throws {
        let id = operands[0]
        try await workplace.waiting("progress.removing") { _ throws(AuthError) in try await handle.remove(passkey: id) }
        try show(["passkey": .string(id)], [invocation.texts("supabase.passkeyRemoved", ["id": id])])
    }
}
