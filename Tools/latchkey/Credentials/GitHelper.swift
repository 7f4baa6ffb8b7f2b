import Latchkey

/// The credential helper that git calls: `get` before it sends a request, `store` when the server has accepted what it
/// got, `erase` when the server has refused it (gitcredentials(7)).
struct GitHelper: Sendable {
    private let invocation: Invocation
    private let request: GitRequest
    private let profile: Profile

    /// Reads the request; `nil` if its host is not one that the profile's tokens go to. Another helper may know it, so
    /// that is no error.
    init?(_ invocation: Invocation) throws {
        guard let bytes = try invocation.console.readAll(GitRequest.limit), let request = GitRequest(bytes) else {
            throw UsageError("usage.gitRequest", command: .credential)
        }
        let profile = try invocation.profile()
        let allowed = profile.allowedOrigins + invocation.arguments.all(.allowOrigin)
        guard let origin = request.origin, allowed.contains(where: { WebAddress($0)?.origin == origin }) else {
            return nil
        }
        (self.invocation, self.request, self.profile) = (invocation, request, profile)
    }

    private var user: String { invocation.arguments[.userName] ?? "x-access-token" }

    /// Answers with a token, if the server takes one.
    func get() async throws {
        guard let manner = request.manner else { return }
        let token: AccessToken
        do {
            token = try await invocation.token(of: profile).0
            guard token.scheme.lowercased() == "bearer" else {
                throw ToolError(.configuration(.unsupported), "error.notBearer")
            }
            _ = try token.value.handedOver()
        } catch {
            try? invocation.console.say(GitAnswer.quit)
            throw error
        }
        let end = TokenReport(token, invocation.world).endsAt
        for line in GitAnswer.lines(token, until: end, to: request, as: manner, user: user) {
            try invocation.console.say(line)
        }
    }

    /// Notes that the server has refused a token, so that it is not given out again. One that git did not get here
    /// changes nothing. A person who asks for it without a token (`git credential reject`) means the present one.
    func erase() async throws {
        let workplace = try Workplace(invocation, profile)
        if let token = request.token {
            try await workplace.client.discard(token)
        } else if request.username.map({ $0 == user }) ?? true {
            let accounts = try await workplace.accounts()
            let account = try await workplace.account(among: accounts)?.id
            guard let token = workplace.client.currentToken(for: workplace.audience, of: account) else { return }
            try await workplace.client.discard(token.value)
        }
    }
}
