import Latchkey
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeyLoopback
import LatchkeyOAuth

/// Signs in with the browser the first time; later runs find the session in its files, and the person's name with it.
///
///     browser-login https://id.example.com CLIENT_ID
@main
struct BrowserLogin {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 3 else {
            print("usage: browser-login ISSUER CLIENT_ID")
            return
        }
        let auth = try AuthClient.Builder()
            .provider(.oauth(issuer: words[1], clientID: words[2]))
            .store(.file(unencryptedAt: FileStore.defaultDirectory(for: "browser-login")))
            .transport(.curl())
            .build()
        do {
            if let account = try await auth.restore().first(where: { $0.isCurrent }) {
                _ = try await auth.accessToken()
                print("Still signed in as \(account.label ?? account.id.value).")
            } else {
                let session = try await auth.oauth().signIn(.browser(), asking: LoopbackPresenter())
                print("Signed in as \(session.label ?? session.account.value).")
                // The ID token has said who it is; the userinfo endpoint may say more.
                try await auth.oauth().refreshClaims()
            }
            // From here on they are with the session: the next start needs no service for them.
            if let claims = try await auth.oauth().claims {
                print("Hello, \(claims.givenName ?? claims.name ?? "you").")
            }
        } catch {
            print("Failed: \(error.message) (what to do: \(error.recovery.rawValue))")
        }
        // If a refresh is still under way, its answer is awaited and stored. What the disk did not take is an error.
        if let unstored = await auth.finish() { throw unstored }
    }
}
