import FoundationEssentials
import IntegrityApp
import Latchkey
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeyOAuth

/// The code of `Documentation/Stores/LockPolicies.md`, compiled.
enum LockingSnippets {
    static func client(_ directory: String, _ finger: some UnlockAuthenticator, _ passphrase: some UnlockAuthenticator)
        async throws -> AccessToken
    {
        let auth = try AuthClient.Builder()
            .provider(.oauth(issuer: "https://id.example.com", clientID: "notes"))
            .store(.file(unencryptedAt: directory))
            .unlock(
                finger, fallback: passphrase, reason: "Show your notes",
                policy: UnlockPolicy(afterBackground: .seconds(60), interval: .seconds(1_800))
            )
            .transport(.curl())
            .build()

        try await auth.unlock()  // asks; the only call that does
        let token = try await auth.accessToken()  // AuthError.locked while it is locked
        return token
    }

    static func interference(_ auth: AuthClient) async {
        let environment = ProcessInfo.processInfo.environment
        if await auth.checkIntegrity(by: LinuxIntegrity(environment: environment)).contains(.debuggerAttached) {
            await auth.lock()
        }
    }
}
