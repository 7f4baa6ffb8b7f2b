import Latchkey
import LatchkeyCurl
import LatchkeyJSON
import LatchkeySupabase
import LatchkeyTerminal

/// Signs in with a password, and with an authenticator app if the account has one. `protect` adds one to the
/// account.
///
///     supabase-password https://abc.supabase.co sb_publishable_… ada@example.com [protect]
@main
struct PasswordSignIn {
    static func main() async throws {
        let words = CommandLine.arguments
        guard (4...5).contains(words.count) else {
            print("usage: supabase-password PROJECT_URL KEY ADDRESS [protect]")
            return
        }
        let auth = try AuthClient.Builder()
            .provider(.supabase(projectURL: words[1], publishableKey: words[2]))
            .transport(.curl())
            .build()
        do {
            let password = try await TerminalPresenter().password()
            let session = try await auth.supabase().signIn(
                .password(identifier: words[3], password), asking: Questions())
            if words.count == 5 { try await protect(auth) }
            let level = try await auth.supabase().claims()["aal"]?.string ?? "none"
            print("Signed in as \(session.label ?? session.account.value), with assurance \(level).")
            try await auth.signOut()
        } catch let error as AuthError {
            print("Failed: \(error.message) (what to do: \(error.recovery.rawValue))")
        }
        // If a refresh is still under way, its answer is awaited and stored. What the disk did not take is an error.
        if let unstored = await auth.finish() { throw unstored }
    }

    /// Makes an app part of signing in. It takes effect once its first code is verified.
    static func protect(_ auth: AuthClient) async throws {
        let factor = try await auth.supabase().enrollTOTP()
        print("Add this to the app: \(factor.uri?.revealText() ?? factor.id)")
        guard let code = Questions.code() else { return }
        try await auth.supabase().verify(factor: factor.id, code: code)
    }
}

/// The app's own questions. The session begins only after the right code; if the person declines, it ends at the
/// service too.
struct Questions: ChallengePresenter {
    func answer(_ challenge: Challenge) async throws -> Answer {
        // After a wrong code the person is asked again, three times in all.
        guard case .totp = challenge.ask else { return try await TerminalPresenter().answer(challenge) }
        return Self.code().map { .code($0) } ?? .declined
    }

    static func code() -> Secret? {
        print("The app's code, or nothing to give up:")
        return readLine().flatMap { $0.isEmpty ? nil : Secret($0) }
    }
}
