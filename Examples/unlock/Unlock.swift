import Latchkey
import LatchkeyCurl
import LatchkeyEncryptedStore
import LatchkeyOAuth
import LatchkeyPassphrase
import LatchkeyTerminal

/// An app lock in forty lines: a session in an encrypted file that a passphrase opens. It locks by itself after the
/// app was hidden for two seconds. Reads the app's life cycle from standard input, one word per line.
@main struct Unlock {
    static func main() async throws {
        guard CommandLine.arguments.count == 3 else { return print("Usage: unlock ISSUER FOLDER") }
        let (issuer, folder) = (CommandLine.arguments[1], CommandLine.arguments[2])
        let vault = EncryptedFileStore(at: "\(folder)/vault", options: VaultOptions(isMadeWhenFirstOpened: true))
        let terminal = TerminalPresenter()
        let passphrase = PassphraseUnlock(limit: AttemptLimit(in: folder)) { request in
            (try? vault.status()) == nil
                ? try await terminal.newPassphrase(for: request.reason)
                : try await terminal.passphrase(for: request.reason)
        }
        let auth = try AuthClient.Builder()
            .provider(.oauth(issuer: issuer, clientID: "dev-device"))
            .store(vault)
            .unlock(passphrase, reason: "Show your notes", policy: UnlockPolicy(afterBackground: .seconds(2)))
            .transport(.curl())
            .build()
        while let word = readLine() {
            do {
                switch word {
                case "unlock": try await auth.unlock()
                case "sign-in": _ = try await auth.oauth().signIn(.device, asking: terminal)
                case "token": _ = try await auth.accessToken()
                case "background": await auth.setPhase(.background)
                case "active": await auth.setPhase(.active)
                case "lock": await auth.lock()
                case "sign-out": _ = try await auth.signOut()
                default: continue
                }
                print("\(word): done")
            } catch {
                let seconds = error.retryAfter.map { Int64(($0 / .seconds(1)).rounded(.up)) }
                print("\(word): \(error.code.name)\(seconds.map { " (wait \($0) s)" } ?? "")")
            }
        }
    }
}
