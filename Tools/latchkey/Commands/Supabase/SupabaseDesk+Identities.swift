import Latchkey
import LatchkeyJSON
import LatchkeySupabase

extension SupabaseDesk {
    /// Returns an identity for programs.
    static func json(_ identity: SupabaseIdentity) -> JSON {
        var members: [String: JSON] = ["id": .string(identity.id), "provider": .string(identity.provider)]
        members["email"] = identity.email.map(JSON.string)
        return .object(members)
    }

    /// Lists the ways to sign in.
    func listIdentities() async throws {
        let identities = try await workplace.waiting("progress.asking") { _ throws(AuthError) in
            try await handle.identities()
        }
        try invocation.show(
            ["identities": .array(identities.map(Self.json)), "profile": .string(workplace.profile.name)],
            identities.isEmpty
                ? [invocation.texts("supabase.noIdentities")]
                : Columns.lines(
                    identities.map { ($0.id, [$0.provider, $0.email].compactMap(\.self).joined(separator: "  ")) }))
    }

    /// Adds a way to sign in, in a browser.
    func link() async throws {
        let name = operands[0]
        let end = try await Presenters.link(workplace, .browser(connection: name), to: handle.account)
        guard let session = end.session else { return }
        // The new session takes the place of the one before, whose end is told now.
        await workplace.settle()
        try invocation.show(
            ["account": .string(session.account.value), "profile": .string(workplace.profile.name)],
            [invocation.texts("supabase.linked", ["name": name])])
    }

    /// Removes a way to sign in.
    func unlink() async throws {
        let id = operands[0]
        try await workplace.waiting("progress.removing") { _ throws(AuthError) in try await handle.unlink(id) }
        try invocation.show(
            ["identity": .string(id), "profile": .string(workplace.profile.name)],
            [invocation.texts("supabase.identityRemoved", ["id": id])])
    }
}
