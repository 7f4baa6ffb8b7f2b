import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// The service's answer of an instance that takes one session on a client (single-session mode, Clerk's default), where
/// somebody is signed in on it.
struct SessionExists: Error {
    let error: AuthError
    /// The newest token of the client that is taken; `nil` if it is still the one that was sent.
    var token: Secret?
}

extension ClerkProvider {
    /// Returns the session that is there, if it is the one of the person who signs in; `nil` for another person, who gets a
    /// client of their own. No proof was asked for, so only a session that is already signed in here is used, and only an
    /// address counts that the service has verified.
    func resumed(
        _ request: SignInRequest, _ options: SignInOptions, after exists: SessionExists, in context: ProviderContext
    ) async throws -> Turn? {
        guard let shared = context.shared, let who = Self.person(of: request, options) else { return nil }
        let service = ClerkService(self, context, token: exists.token ?? shared.refreshToken, of: shared)
        defer { service.carry() }
        // Ended sessions stay on the client for a while.
        let open = (try await service.get("/client")["sessions"]?.array ?? []).filter {
            ["active", "pending"].contains($0["status"]?.string)
        }
        guard !service.isForeign,
            let id = open.first(where: { $0["user"].map { Self.isPerson($0, who) } ?? false })?["id"]?.string,
            shared.session(AuthSession.ID(id)) != nil
        else { return nil }
        return try await ClerkConversation(service, ["shared": .string(shared.id.value)]).granted(id)
    }

    /// Ends a session that a sign-in on this client made, and that was given up before its tasks were done: no program has it.
    ///
    /// - Returns: Whether there was one.
    func endUnfinished(_ session: String, _ service: ClerkService) async -> Bool {
        let sessions = (try? await service.get("/client"))?["sessions"]?.array ?? []
        guard !service.isForeign, sessions.first(where: { $0["id"]?.string == session })?["status"] == "pending" else {
            return false
        }
        return (try? await service.post("/client/sessions/\(FormEncoding.encode(session))/remove")) != nil
    }

    /// The name of the person who signs in; `nil` if it is not known yet, or the session that is there is not wanted.
    private static func person(of request: SignInRequest, _ options: SignInOptions) -> String? {
        switch request {
        case .signIn(.password(let who, _)), .signIn(.code(let who, _)), .signIn(.link(let who)): who
        case .signIn(.enterprise(let domain)): domain.contains("@") ? domain : options.loginHint
        default: nil
        }
    }

    /// Whether a name is a person's: an address or number that the service has verified, or the user name.
    static func isPerson(_ user: JSON, _ who: String) -> Bool {
        func has(_ list: String, _ member: String) -> Bool {
            (user[list]?.array ?? []).contains { entry in
                entry["verification"]?["status"] == "verified"
                    && entry[member]?.string?.lowercased() == who.lowercased()
            }
        }
        if who.contains("@") { return has("email_addresses", "email_address") }
        if who.hasPrefix("+") { return has("phone_numbers", "phone_number") }
        return user["username"]?.string?.lowercased() == who.lowercased()
    }
}
