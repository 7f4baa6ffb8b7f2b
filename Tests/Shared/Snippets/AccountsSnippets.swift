import Latchkey
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeyOAuth
import LatchkeySupabase

/// The code of `Documentation/Start/Accounts.md` that no example has, compiled.
enum AccountsSnippets {
    static func several(_ directory: String, _ presenter: any ChallengePresenter) async throws {
        let auth = try AuthClient.Builder()
            .provider(.oauth(issuer: "https://id.example.com", clientID: "notes", named: "work"))
            .provider(.supabase(projectURL: "https://abc.supabase.co", publishableKey: "sb_publishable_…"))
            .store(.file(unencryptedAt: directory))
            .transport(.curl())
            .build()
        _ = try await auth.oauth("work").signIn(.browser(), asking: presenter)
        _ = try await auth.supabase().signIn(.anonymous)
    }
}
