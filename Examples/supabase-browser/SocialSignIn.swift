import Latchkey
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeyLoopback
import LatchkeySupabase
import LatchkeyTerminal

/// Signs in with an identity provider of the project, in the browser. Later runs find the session in its files.
///
///     supabase-browser https://abc.supabase.co sb_publishable_… github
@main
struct SocialSignIn {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 4 else {
            print("usage: supabase-browser PROJECT_URL KEY IDENTITY_PROVIDER")
            return
        }
        let auth = try AuthClient.Builder()
            .provider(.supabase(projectURL: words[1], publishableKey: words[2]))
            .store(.file(unencryptedAt: FileStore.defaultDirectory(for: "supabase-browser")))
            .transport(.curl())
            .build()
        do {
            if let account = try await auth.restore().first(where: { $0.isCurrent }) {
                _ = try await auth.accessToken()
                print("Still signed in as \(account.label ?? account.id.value).")
            } else {
                // The terminal answers what a browser cannot, such as a second factor.
                var options = LoopbackPresenter.Options()
                options.appName = "Notes"
                options.usesRandomPath = true
                let presenter = LoopbackPresenter(options, otherwise: TerminalPresenter())
                let session = try await auth.supabase().signIn(
                    .browser(connection: words[3]), asking: presenter)
                let ways = session.supabaseUser?.identities.map(\.provider) ?? []
                print("Signed in as \(session.label ?? session.account.value) by \(ways.joined(separator: ", ")).")
            }
        } catch {
            print("Failed: \(error.message) (what to do: \(error.recovery.rawValue))")
        }
        // If a refresh is still under way, its answer is awaited and stored. What the disk did not take is an error.
        if let unstored = await auth.finish() { throw unstored }
    }
}
