import Latchkey
import LatchkeyAgent
import LatchkeySystem

extension Option {
    static let serveTokens = flag(
        "serve-tokens", "Lets the agent hand access tokens of the profile out to this user's other commands")
}

/// Hands access tokens out for the agent, each in the way in which the command `token` gets one in a process of its own:
/// the store is read for each, so that a sign-out elsewhere counts at once.
final class TokenDesk: AgentTokenServing {
    /// How many are got at the same time. Any further program asks its own client.
    private static let most = 8
    /// What decides where profiles and sessions are, and what else a client does by the environment.
    private static let variables = [
        "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "LATCHKEY_STORE", "http_proxy", "https_proxy",
        "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
    ]

    private struct State {
        var profiles: Set<String> = []
        var underWay = 0

        mutating func enter() -> Bool {
            guard underWay < TokenDesk.most else { return false }
            underWay += 1
            return true
        }
    }

    private let invocation: Invocation
    private let home: String
    private let state = Locked(State())

    init(_ invocation: Invocation) {
        self.invocation = invocation
        home = Self.home(invocation.environment)
    }

    /// Names the home of a program: two that differ in one of the variables have not the same sessions.
    static func home(_ environment: [String: String]) -> String {
        variables.map { environment[$0, default: ""] }.joined(separator: "\n")
    }

    func serve(_ profile: String, of home: String) throws {
        guard home == self.home else { throw Self.another }
        _ = try invocation.profile(profile)
        state.withLock { _ = $0.profiles.insert(profile) }
    }

    func token(_ request: AgentTokenRequest) async throws -> AgentToken {
        guard request.home == home, state.withLock({ $0.profiles.contains(request.profile) }) else {
            throw Self.another
        }
        guard state.withLock({ $0.enter() }) else { throw AuthError(.busy, "the agent is asked for many tokens") }
        defer { state.withLock { $0.underWay -= 1 } }
        let workplace = try Workplace.answering(invocation, try invocation.profile(request.profile))
        let answer: Result<AgentToken, any Error>
        do { answer = .success(try await token(request, workplace)) } catch { answer = .failure(error) }
        // What was sent is answered and stored, also when the agent ends.
        let unstored = await workplace.client.finish()
        // What the disk did not take is tried again, at the latest when the agent ends.
        if unstored == nil { invocation.clients.remove(workplace.client) }
        _ = await invocation.securityLogs.flush()
        return try answer.get()
    }

    private func token(_ request: AgentTokenRequest, _ workplace: Workplace) async throws -> AgentToken {
        let accounts = try await workplace.accounts()
        var account = accounts.first { $0.isCurrent }?.id
        if let named = request.account { account = try await workplace.find(named, among: accounts).id }
        let token = try await workplace.client.accessToken(
            for: request.audience, of: account, minimumValidity: request.validity)
        return AgentToken(token, of: account)
    }

    private static var another: AuthError {
        AuthError(.configuration(.unsupported), "the agent hands out no tokens of this profile")
    }
}

extension Invocation {
    /// Returns a valid token as the options ask for, and its account: by the agent if it hands out the profile's tokens,
    /// else by a client of this program.
    func token(of profile: Profile) async throws -> (AccessToken, AccountID?) {
        guard let answer = try await agentToken(of: profile) else {
            return try await Workplace.open(self, profile).token()
        }
        try check(answer.token)
        return (answer.token, answer.account)
    }

    /// Returns the agent's answer; `nil` if this program has to look by itself. It then says why there is no token.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `declined` if the person said no to the agent.
    private func agentToken(of profile: Profile) async throws -> AgentToken? {
        // What is sent is to be told of here.
        guard !arguments.has(.verbose), let agent = try? AgentProcess.client(self) else { return nil }
        let progress = Progress(texts("progress.refreshing"), self)
        defer { progress.end() }
        // Rounded up, so that the token lasts as long as was asked for.
        let validity = Duration.seconds((arguments.duration(.minimumValidity) ?? .zero).wholeSecondsUp)
        let request = AgentTokenRequest(
            home: TokenDesk.home(environment), profile: profile.name, account: arguments[.account],
            audience: arguments[.audience].map { Audience($0) } ?? .standard, validity: validity)
        do {
            return try await agent.token(request)
        } catch let error as AuthError where error.code == .declined {
            throw error
        } catch {
            return nil
        }
    }
}
