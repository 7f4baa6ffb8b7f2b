import Latchkey

/// The code of `Documentation/Start/Status401.md` that no example has, compiled.
enum RefusalsSnippets {
    static func status(_ auth: AuthClient, _ send: (AccessToken) async throws -> Int) async throws -> Int {
        var token = try await auth.accessToken()
        var status = try await send(token)
        if status == 401 {
            try await auth.discard(token.value)
            token = try await auth.accessToken()
            status = try await send(token)
        }
        return status
    }
}
