import Latchkey
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeyLoopback
import LatchkeyOAuth

/// Keeps several people signed in. Reads what to do from standard input, one command in a line: `add NAME`, `list`,
/// `use LABEL`, `token LABEL`, `sign-out LABEL`.
///
///     several-accounts https://id.example.com CLIENT_ID FOLDER
@main
struct SeveralAccounts {
    let auth: AuthClient

    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 4 else { return print("usage: several-accounts ISSUER CLIENT_ID FOLDER") }
        let auth = try AuthClient.Builder()
            .provider(.oauth(issuer: words[1], clientID: words[2]))
            .store(.file(unencryptedAt: words[3]))
            .transport(.curl())
            .build()
        let program = SeveralAccounts(auth: auth)
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            guard let command = words.first else { continue }
            do {
                try await program.run(command, words.dropFirst().first ?? "")
            } catch {
                print("\(line): \(error.code.name)")
            }
        }
        if let unstored = await auth.finish() { throw unstored }
    }

    private func run(_ command: String, _ name: String) async throws(AuthError) {
        switch command {
        case "add": try await add(name)
        case "list": try await list()
        case "use": try await auth.switchAccount(to: account(name))
        case "token":
            let token = try await auth.accessToken(of: account(name))
            print("a token for \(name): \(token.value)")
        case "sign-out": print("sign-out: \(try await auth.signOut(of: account(name)))")
        default: print("unknown command: \(command)")
        }
    }

    /// Signs one more person in. Nobody else is signed out.
    private func add(_ name: String) async throws(AuthError) {
        var options = SignInOptions()
        options.loginHint = name
        options.prompt = "select_account"
        let session = try await auth.oauth().signIn(
            .browser(), options: options, asking: LoopbackPresenter())
        print("added \(session.label ?? session.account.value)")
    }

    private func list() async throws(AuthError) {
        for account in try await auth.accounts() {
            print(account.isCurrent ? "*" : "-", account.label ?? account.id.value, account.state)
        }
    }

    /// The account with this label. A label is for people and may change; the ID never does.
    private func account(_ label: String) async throws(AuthError) -> AccountID {
        guard let found = try await auth.accounts().first(where: { $0.label == label }) else {
            throw AuthError(.signInRequired(.signedOut), "No account named \"\(label)\" is signed in.")
        }
        return found.id
    }
}
