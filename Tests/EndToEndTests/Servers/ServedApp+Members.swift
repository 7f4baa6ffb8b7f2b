import Latchkey

/// Other processes of an app, for what one client cannot show.
extension ServedApp {
    /// A process that shares the app's session and reaches the server by `proxy`. `scopes`: what the app asked for, with
    /// commas between; `nil`: what it asks for by itself.
    func member(
        by proxy: CountingProxy, scopes: String? = nil, protection: RaceProtection = .full
    ) throws -> HeldProcess {
        try HeldProcess(
            try Tool.built("race-member"),
            [server.issuer, "pub1", scopes ?? "-", proxy.origin, directory, protection.rawValue])
    }

    /// What became of the login: one more refresh by a new process, and a request with what that brings. `newest`: the
    /// refresh token that the server gave last.
    func fate(newest: String?, userInfo path: String, token: String) async throws -> RaceReport.Login {
        if let fresh = try? await restarted().refresh(), try await userInfo(fresh, at: path).status == 200 {
            return .alive
        }
        // The server has the last word: the newest refresh token that it gave, sent once more.
        guard let newest else { return .dead }
        return try await spend(newest, client: "pub1", at: token) == 200 ? .lost : .dead
    }
}
