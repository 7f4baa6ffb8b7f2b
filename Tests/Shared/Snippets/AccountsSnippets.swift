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

    static func veryMany(
        _ builder: AuthClient.Builder, _ account: AccountID, work: ([AccountID]) async throws -> Void
    ) async throws -> AccessToken {
        var settings = EngineSettings()
        settings.accounts = .whenNamed
        let auth = try builder.settings(settings).build()
        let token = try await auth.accessToken(of: account)
        var cursor: KeyCursor?
        repeat {
            let page = try await auth.storedAccounts(from: cursor, atMost: 500)
            try await work(page.accounts)
            cursor = page.next
        } while cursor != nil
        return token
    }
}
