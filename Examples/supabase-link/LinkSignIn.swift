import Latchkey
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeySupabase
import LatchkeyTerminal

/// Signs in with a link from a mail. One process asks for it and waits. The link opens the app's address, and the
/// system starts a second process with it, which completes the sign-in. Then both are signed in.
///
///     supabase-link https://abc.supabase.co sb_publishable_… ada@example.com
///     supabase-link https://abc.supabase.co sb_publishable_… 'latchkey-demo://callback?code=…'
@main
struct LinkSignIn {
    /// The project must have this in its list of redirects, and the system must open it with this program.
    static let redirect = "latchkey-demo://callback"

    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 4 else {
            print("usage: supabase-link PROJECT_URL KEY ADDRESS|OPENED_LINK")
            return
        }
        let auth = try AuthClient.Builder()
            .provider(.supabase(projectURL: words[1], publishableKey: words[2], redirect: redirect))
            .store(.file(unencryptedAt: FileStore.defaultDirectory(for: "supabase-link")))
            .transport(.curl())
            .build()
        do {
            let isLink = words[3].hasPrefix(redirect)
            let account = isLink ? try await open(Secret(words[3]), auth) : try await ask(words[3], auth)
            let known = try await auth.accounts().first { $0.id == account }
            print("Signed in as \(known?.label ?? account.value).")
        } catch let error as AuthError {
            print("Failed: \(error.message) (what to do: \(error.recovery.rawValue))")
        }
        // If a refresh is still under way, its answer is awaited and stored. What the disk did not take is an error.
        if let unstored = await auth.finish() { throw unstored }
    }

    static func ask(_ address: String, _ auth: AuthClient) async throws -> AccountID {
        // Subscribed before the request, so that no event is missed.
        let events = auth.events
        _ = try await auth.supabase().begin(.link(identifier: address))
        print("A link was sent to \(address).")
        for await case .signedIn(let account) in events { return account }
        throw CancellationError()
    }

    static func open(_ link: Secret, _ auth: AuthClient) async throws -> AccountID {
        var opened = try await auth.supabase().open(link)
        // If the account has a second factor, the person is asked for it now.
        while case .asked(let challenge) = opened {
            opened = SupabaseOpened(try await auth.answer(TerminalPresenter().answer(challenge), to: challenge.id))
        }
        guard case .signedIn(let session) = opened else { throw CancellationError() }
        // For an earlier sign-in that this one has replaced: the process ends before the SDK would tell the
        // service.
        try await auth.settleRevocations()
        return session.account
    }
}
