import Latchkey

/// What there is to say about who is signed in.
enum SessionCheckups {
    static func all(_ workplace: Workplace) async -> [Checkup] {
        let profile = workplace.profile.name
        do throws(AuthError) {
            let now = workplace.invocation.world.clock.wall()
            let accounts = try await workplace.accounts()
            var found = accounts.map { account -> Checkup in
                let report = AccountReport(account: account, now: now)
                let message = "\(report.name): \(report.words())"
                return switch account.state {
                case .signInRequired, .signedOut:
                    .warn("session", message, remedy: "Run: latchkey login --profile \(profile)")
                case .offline: .warn("session", message, remedy: "Check the network")
                default: .ok("session", message)
                }
            }
            if found.isEmpty {
                found = [
                    .warn("session", "Nobody is signed in", remedy: "Run: latchkey login --profile \(profile)")
                ]
            }
            return found + [try await owed(workplace)]
        } catch {
            return [.fail("session", error, profile: profile)]
        }
    }

    private static func owed(_ workplace: Workplace) async throws(AuthError) -> Checkup {
        let count = try await workplace.client.owedRevocations()
        guard count > 0 else { return .ok("revocations", "The service knows of every sign-out") }
        return .warn(
            "revocations", "The service has not been told of \(count) sign-outs",
            remedy: "Run with the service in reach: latchkey refresh --profile \(workplace.profile.name)")
    }
}
