import Latchkey

/// Checks the accounts that are signed in.
enum SessionCheckups {
    static func all(_ workplace: Workplace) async -> [Checkup] {
        let (profile, texts) = (workplace.profile.name, workplace.invocation.shown)
        let signIn = texts("hint.run", ["command": "latchkey login --profile \(profile)"])
        do throws(AuthError) {
            let now = workplace.invocation.world.clock.wall()
            let accounts = try await workplace.accounts()
            var found = accounts.map { account -> Checkup in
                let report = AccountReport(account: account, now: now)
                let message = texts(
                    "doctor.session", ["account": report.name(texts), "state": report.words(texts)])
                if let advice = report.clientAdvice(profile: profile, texts) {
                    guard report.isStuck else { return .warn("session", message, remedy: advice) }
                    return Checkup(
                        check: "session", verdict: .fail, message: message, remedy: advice, status: report.status)
                }
                return switch account.state {
                case .signInRequired, .signedOut:
                    .warn("session", message, remedy: signIn)
                case .offline: .warn("session", message, remedy: texts("doctor.network"))
                default: .ok("session", message)
                }
            }
            if found.isEmpty {
                found = [.warn("session", texts("doctor.nobody"), remedy: signIn)]
            }
            found += try await workplace.client.unreadableRecords().map {
                .fail("session", $0, profile: profile, texts)
            }
            return found + [try await owed(workplace)]
        } catch {
            return [.fail("session", error, profile: profile, texts)]
        }
    }

    private static func owed(_ workplace: Workplace) async throws(AuthError) -> Checkup {
        let (count, texts) = (try await workplace.client.owedRevocations(), workplace.invocation.shown)
        guard count > 0 else { return .ok("revocations", texts("doctor.told")) }
        return .warn(
            "revocations", texts("doctor.untold", ["count": "\(count)"]),
            remedy: texts(
                "doctor.untold.remedy", ["command": "latchkey refresh --profile \(workplace.profile.name)"]))
    }
}
