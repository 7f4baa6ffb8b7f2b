import Foundation
import Latchkey
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeyOAuth

/// Prints what happens to the accounts of a folder, in this process and in others, until it is stopped.
///
///     follow-events https://id.example.com CLIENT_ID FOLDER
@main
struct FollowEvents {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 4 else { return print("usage: follow-events ISSUER CLIENT_ID FOLDER") }
        let auth = try AuthClient.Builder()
            .provider(.oauth(issuer: words[1], clientID: words[2]))
            .store(.file(unencryptedAt: words[3]))
            .transport(.curl())
            .build()
        // Listen first, then read: whatever happens in between is then in the stream.
        let events = auth.events
        say("signed in now: \(try await auth.restore().count)")
        for await event in events { await show(event, auth) }
    }

    private static func show(_ event: AuthEvent, _ auth: AuthClient) async {
        switch event {
        case .signedIn(let account): say("signed in: \(await name(account, auth))")
        case .signedOut(_, let cause): say("signed out by \(cause)")
        case .authenticationRequired(let account, let reason):
            say("\(await name(account, auth)) must sign in again: \(reason)")
        case .expiring(_, let expiry): say("the \(expiry.cause) ends soon; to do: \(expiry.remedy)")
        case .currentChanged(let account): say(account == nil ? "nobody is current" : "another account is current")
        case .locked: say("locked")
        case .unlocked: say("unlocked")
        case .gap: say("some events were missed; signed in now: \((try? await auth.accounts().count) ?? 0)")
        default: return
        }
    }

    private static func name(_ account: AccountID, _ auth: AuthClient) async -> String {
        let accounts = (try? await auth.accounts()) ?? []
        return accounts.first { $0.id == account }?.label ?? account.value
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
