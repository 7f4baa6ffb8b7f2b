import Latchkey
import LatchkeyCurl
import LatchkeyOAuth
import LatchkeyTerminal

/// Signs in with a code that is entered on another device. The session is forgotten when the program ends.
///
///     device-login https://id.example.com CLIENT_ID
@main
struct DeviceLogin {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 3 else {
            print("usage: device-login ISSUER CLIENT_ID")
            return
        }
        let auth = try AuthClient.Builder()
            .provider(.oauth(issuer: words[1], clientID: words[2]))
            .store(MemoryStore())
            .transport(.curl())
            .build()
        do {
            let session = try await auth.oauth().signIn(.device, asking: TerminalPresenter())
            print("Signed in as \(session.label ?? session.account.value).")
        } catch {
            print("Failed: \(error.message) (what to do: \(error.recovery.rawValue))")
        }
        // If a refresh is still under way, its answer is awaited and stored.
        await auth.finish()
    }
}
