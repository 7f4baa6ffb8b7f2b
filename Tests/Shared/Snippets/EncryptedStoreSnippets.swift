import Latchkey
import LatchkeyCurl
import LatchkeyEncryptedStore
import LatchkeyKernelKeyring
import LatchkeyOAuth
import LatchkeyPassphrase
import LatchkeyTerminal

/// The code of `Documentation/Stores/EncryptedStore.md`, compiled.
enum EncryptedStoreSnippets {
    static func client(_ directory: String, _ issuer: String) throws -> AuthClient {
        let terminal = TerminalPresenter()
        let auth = try AuthClient.Builder()
            .provider(.oauth(issuer: issuer, clientID: "notes"))
            .store(.encryptedFile(at: directory))
            .unlock(PassphraseUnlock { try await terminal.passphrase(for: $0.reason) }, reason: "Show your notes")
            .transport(.curl())
            .build()
        return auth
    }

    static func service(_ directory: String) throws -> SelfOpening<EncryptedFileStore> {
        let vault = EncryptedFileStore(at: directory, options: VaultOptions(isEphemeral: true))
        let store = SelfOpening(vault, by: FileKeyHolder(in: "/run/credentials/notes"), name: "vault-key")
        return store
    }

    static func kernel(_ vault: EncryptedFileStore) -> SelfOpening<EncryptedFileStore> {
        let held = SelfOpening(
            vault, by: KernelKeyHolder(application: "com.example.notes", timeToLive: .seconds(3_600)), name: "vault-key"
        )
        return held
    }
}
