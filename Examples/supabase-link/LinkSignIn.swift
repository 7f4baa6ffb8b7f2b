import Latchkey
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeySupabase
import LatchkeyTerminal

/// Signs in by a link that is mailed. One process asks for it and waits; another one, which the system starts with the
/// address of the app that the link leads to, completes it. Then both are signed in.
///
///     supabase-link https://abc.supabase.co sb_publishable_… ada@example.com
///     supabase-link https://abc.supabase.co sb_publishable_… 'latchkey-demo://callback?code=…'
@main
struct LinkSignIn {
    /// The project has it on its list of redirects, and the system knows that this program opens it.
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
        // If a refresh is still under way, its answer is awaited and stored.
        await auth.finish()
    }

    static func ask(_ address: String, _ auth: AuthClient) async throws -> AccountID {
        // Listens before it asks, so that nothing is missed.
        let events = auth.events
        _ = try await auth.begin(.signIn(.link(identifier: address)), with: "supabase")
        print("A link was sent to \(address).")
        for await case .signedIn(let account) in events { return account }
        throw CancellationError()
    }

    static func open(_ link: Secret, _ auth: AuthClient) async throws -> AccountID {
        var opened = try await auth.supabase().open(link)
        // Who has a further factor is asked for it now.
        while case .asked(let challenge) = opened {
            opened = SupabaseOpened(try await auth.answer(TerminalPresenter().answer(challenge), to: challenge.id))
        }
        guard case .signedIn(let session) = opened else { throw CancellationError() }
        // Of an earlier sign-in, which this one has replaced: this process ends before the SDK would tell the service.
        try await auth.settleRevocations()
        return session.account
    }
}
