import Latchkey
import LatchkeyJSON

extension Option {
    static let remove = value("remove", "NAME", .profile, "Removes this profile; nobody may be signed in with it")
}

extension Command {
    static let profiles = Command(
        name: "profiles", summary: "Lists the profiles, or removes one",
        details: [
            "A profile says with what one signs in: issuer and client, or project and key; scopes. \"latchkey login\" makes it."
        ],
        output: [
            (
                "profiles",
                "A list of objects: profile, service, issuer, clientId, method, default, capabilities: what the service can do"
                    + " beside signing in"
            ),
            ("removed", "With --remove: the name"),
        ],
        options: [.remove, .names, .json],
        run: { invocation in
            if let name = invocation.arguments[.remove] { return try await remove(name, invocation) }
            return try list(invocation)
        })

    private static func list(_ invocation: Invocation) throws -> ExitStatus {
        let store = try invocation.profiles()
        let names = try store.names()
        if invocation.arguments.has(.names) {
            for name in names { try invocation.console.say(name) }
            return .success
        }
        let chosen = try store.defaultName()
        let profiles = try names.compactMap { try store.profile($0) }
        try invocation.show(
            ["profiles": .array(profiles.map { json($0, isDefault: $0.name == chosen, invocation) })],
            profiles.isEmpty
                ? [invocation.texts("profiles.none", ["hint": invocation.texts(Hints.firstLogin)])]
                : Columns.lines(
                    profiles.map {
                        ("\($0.name == chosen ? "*" : " ") \($0.name)", invocation.texts($0.target))
                    }))
        return .success
    }

    private static func remove(_ name: String, _ invocation: Invocation) async throws -> ExitStatus {
        let store = try invocation.profiles()
        guard let profile = try store.profile(name) else {
            throw ToolError(.configuration(.invalid), "error.noProfile", ["profile": name])
        }
        let workplace = try Workplace(invocation, profile)
        guard try await workplace.accounts().isEmpty, try await workplace.client.owedRevocations() == 0 else {
            throw ToolError(.configuration(.invalid), "error.stillSignedIn", ["profile": name])
        }
        try store.remove(name)
        try invocation.show(["removed": .string(name)], [invocation.texts("profiles.removed", ["profile": name])])
        return .success
    }

    /// Returns the capabilities of the profile's provider; none for a profile of a newer version of this tool.
    private static func capabilities(_ profile: Profile, _ invocation: Invocation) -> [String] {
        let rules = try? Workplace(invocation, profile).client.rules[Composition.provider(of: profile)]
        return (rules?.capabilities ?? []).map(\.rawValue).sorted()
    }

    private static func json(_ profile: Profile, isDefault: Bool, _ invocation: Invocation) -> JSON {
        [
            "profile": .string(profile.name), "service": .string(profile.service.name),
            "issuer": .string(profile.issuer),
            "clientId": .string(profile.clientID), "method": .string(profile.method.rawValue),
            "default": .bool(isDefault),
            "capabilities": .array(capabilities(profile, invocation).map(JSON.string)),
        ]
    }
}
