import Latchkey
import LatchkeyCurl
import LatchkeyModel
import LatchkeySupabase

/// Signs in by screens of its own: by a presenter that asks, or by the model of a window.
///
///     own-screens https://abc.supabase.co sb_publishable_… dialog ada@example.com
///     own-screens https://abc.supabase.co sb_publishable_… window
@main
struct OwnScreens {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count > 3 else { return print("usage: own-screens PROJECT_URL KEY window|dialog ADDRESS") }
        let auth = try AuthClient.Builder()
            .provider(.supabase(projectURL: words[1], publishableKey: words[2]))
            .transport(.curl())
            .build()
        if words[3] == "dialog", words.count == 5 {
            await dialog(auth, words[4])
        } else {
            await window(auth)
        }
        await auth.finish()
    }

    private static func dialog(_ auth: AuthClient, _ address: String) async {
        do {
            let session = try await auth.supabase().signIn(
                .code(identifier: address, over: .mail), asking: Dialog())
            print("Signed in as \(session.label ?? "somebody").")
        } catch {
            print(error.text(in: .english))
        }
    }

    @MainActor
    private static func window(_ auth: AuthClient) async {
        var options = ModelOptions()
        options.methods = [.password]
        await Window(model: AuthModel(auth, options)).run()
    }
}
