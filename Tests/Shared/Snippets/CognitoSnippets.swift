import Latchkey
import LatchkeyCognito
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeyTerminal

/// The code of `Documentation/Providers/Cognito.md`, compiled.
enum CognitoSnippets {
    static func signIn(_ directory: String, _ address: String, _ password: Secret) async throws -> AuthSession {
        let auth = try AuthClient.Builder()
            .provider(.cognito(userPool: "eu-west-1_AbCdEfGhI", clientID: "1example23456789"))
            .store(.file(unencryptedAt: directory))
            .transport(.curl())
            .build()
        let session = try await auth.cognito().signIn(
            .password(identifier: address, password), asking: TerminalPresenter())
        return session
    }

    static func rotating() -> CognitoProvider {
        var provider: CognitoProvider = .cognito(userPool: "eu-west-1_AbCdEfGhI", clientID: "1example23456789")
        provider.refresh = .newSuccessor
        provider.passwordRules = ["At least 12 characters, with a digit."]
        return provider
    }

    static func addApp(_ auth: AuthClient) async throws {
        _ = try await auth.link(
            .custom(name: CognitoProvider.authenticatorApp), asking: TerminalPresenter())
    }
}
