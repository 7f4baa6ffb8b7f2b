import Latchkey
import LatchkeyJSON
import LatchkeySupabase

extension SupabaseDesk {
    /// An identity for programs.
    static func json(_ identity: SupabaseIdentity) -> JSON {
        var members: [String: JSON] = ["id": .string(identity.id), "provider": .string(identity.provider)]
        members["email"] = identity.email.map(JSON.string)
        return .object(members)
    }

    /// Lists the ways to sign in.
    func listIdentities() async throws {
        let identities = try await workplace.waiting("Asking") { _ throws(AuthError) in
            try await handle.identities()
        }
        try invocation.show(
            ["identities": .array(identities.map(Self.json)), "profile": .string(workplace.profile.name)],
            identities.isEmpty
                ? ["There are no identities."]
                : Columns.lines(
                    identities.map { ($0.id, [$0.provider, $0.email].compactMap(\.self).joined(separator: "  ")) }))
    }

    /// Adds a way to sign in, in a browser.
    func link() async throws {
        let name = try id("The name of the identity provider")
        let presenter = Presenters.browser(workplace)
        var options = SignInOptions()
        options.redirect = try await presenter.openRedirect()
        do {
            var step = try await handle.link(.browser(connection: name), options: options)
            while case .asked(let challenge) = step {
                step = try await workplace.client.answer(try await presenter.answer(challenge), to: challenge.id)
            }
            await presenter.closeRedirect()
            guard case .signedIn(let session) = step else { return }
            try invocation.show(
                ["account": .string(session.account.value), "profile": .string(workplace.profile.name)],
                ["Linked \(name)."])
        } catch {
            await presenter.closeRedirect()
            throw error
        }
    }

    /// Removes a way to sign in.
    func unlink() async throws {
        let id = try id("The identity's id")
        try await workplace.waiting("Removing") { _ throws(AuthError) in try await handle.unlink(id) }
        try invocation.show(
            ["identity": .string(id), "profile": .string(workplace.profile.name)], ["Removed the identity \(id)."])
    }
}
