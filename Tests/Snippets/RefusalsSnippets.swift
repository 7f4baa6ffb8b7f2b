import Latchkey

/// The code of `Documentation/Refusals.md` that no example has, compiled.
enum RefusalsSnippets {
    static func status(_ auth: AuthClient, _ send: (AccessToken) async throws -> Int) async throws -> Int {
        var token = try await auth.accessToken()
        var status = try await send(token)
        if status == 401 {
            token = try await auth.refresh()
            status = try await send(token)
        }
        return status
    }
}
