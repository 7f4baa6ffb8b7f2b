import Latchkey
import LatchkeyClerk
import LatchkeyCurl
import LatchkeyFileStore

/// The code of `Documentation/Providers/Clerk.md`, compiled.
enum ClerkSnippets {
    static func client(_ directory: String, _ address: String, _ password: Secret, _ presenter: any ChallengePresenter)
        async throws -> AccessToken
    {
        let auth = try AuthClient.Builder()
            .provider(.clerk(publishableKey: "pk_live_…"))
            .store(.file(unencryptedAt: directory))
            .transport(.curl())
            .build()
        _ = try await auth.clerk().signIn(.password(identifier: address, password), asking: presenter)
        let token = try await auth.accessToken(for: .organization("org_…"))
        return token
    }
}
