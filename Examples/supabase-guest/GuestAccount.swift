import Latchkey
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeySupabase
import LatchkeyTerminal

/// Signs in anonymously, and later adds an email address. The account and everything in it stay the same.
///
///     supabase-guest https://abc.supabase.co sb_publishable_…
///     supabase-guest https://abc.supabase.co sb_publishable_… ada@example.com
@main
struct GuestAccount {
    static func main() async throws {
        let words = CommandLine.arguments
        guard (3...4).contains(words.count) else {
            print("usage: supabase-guest PROJECT_URL KEY [ADDRESS]")
            return
        }
        let auth = try AuthClient.Builder()
            .provider(.supabase(projectURL: words[1], publishableKey: words[2]))
            .store(.file(unencryptedAt: FileStore.defaultDirectory(for: "supabase-guest")))
            .transport(.curl())
            .build()
        do {
            if try await auth.restore().isEmpty { _ = try await auth.supabase().signIn(.anonymous) }
            if words.count == 4 { try await keep(words[3], auth) }
            let user = try await auth.supabase().user()
            print(user.isAnonymous ? "A guest: \(user.id)." : "\(user.email ?? "Somebody"): \(user.id).")
        } catch let error as AuthError {
            print("Failed: \(error.message) (what to do: \(error.recovery.rawValue))")
        }
        // If a refresh is still under way, its answer is awaited and stored. What the disk did not take is an error.
        if let unstored = await auth.finish() { throw unstored }
    }

    /// From now on, the owner of the address can sign in to the account with a code or a link, on any device.
    static func keep(_ address: String, _ auth: AuthClient) async throws {
        let handle = try auth.supabase()
        var change = SupabaseUserUpdate()
        change.email = address
        try await handle.update(change)
        let code = try await TerminalPresenter().code(sentTo: address)
        guard try await handle.confirm(address, code: code) else {
            return print("Another code went to the former address; confirm that one too.")
        }
    }
}
