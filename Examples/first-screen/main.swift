import Foundation
import Latchkey
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeyLoopback
import LatchkeyOAuth

guard CommandLine.arguments.count == 3 else {
    print("usage: first-screen ISSUER DIRECTORY")
    exit(2)
}
do {
    let auth = try AuthClient.Builder()
        .provider(.oauth(issuer: CommandLine.arguments[1], clientID: "dev-native"))
        .store(.file(unencryptedAt: CommandLine.arguments[2]))
        .transport(.curl())
        .build()
    let known = try await auth.restore()
    if known.isEmpty { _ = try await auth.oauth().signIn(.browser(), asking: LoopbackPresenter()) }
    let token = try await auth.accessToken()
    let name = try await auth.accounts().first?.label ?? "nobody"
    print(known.isEmpty ? "hello," : "hello again,", name, "with a token of \(token.value)")
} catch {
    switch error.recovery {
    case .signIn: print("Sign in again.", error.message)
    case .retryLater: print("Try again later.", error.message)
    default: print(error.message)
    }
    exit(1)
}
// The first start prints: hello, ada@example.test with a token of <redacted>
// The next one prints: hello again, ada@example.test with a token of <redacted>
