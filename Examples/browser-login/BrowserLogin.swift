import Latchkey
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeyLoopback
import LatchkeyOAuth

/// Signs in with the browser the first time; later runs find the session in its files.
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
                let session = try await auth.signIn(with: "oauth", .browser(), asking: LoopbackPresenter())
                print("Signed in as \(session.label ?? session.account.value).")
            }
        } catch {
            print("Failed: \(error.message) (what to do: \(error.recovery.rawValue))")
        }
        // If a refresh is still under way, its answer is awaited and stored.
        await auth.finish()
    }
}
