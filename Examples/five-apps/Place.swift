import Foundation
import Latchkey
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeyPassphrase
import LatchkeySupabase

/// Where an app runs: its service, and its folder on the disk.
struct Place: Sendable {
    static let apps = "notes|budget|radar|messenger|diary"

    let app: String
    let service: String
    let folder: String
    let events: String?

    init?(_ arguments: ArraySlice<String>) {
        guard let app = arguments.first, Self.apps.split(separator: "|").contains(app[...]) else { return nil }
        var options: [String: String] = [:]
        var rest = arguments.dropFirst()
        while let name = rest.popFirst() { options[name] = rest.popFirst() }
        guard let service = options["--service"], let folder = options["--folder"], folder.hasPrefix("/") else {
            return nil
        }
        (self.app, self.service, self.folder, events) = (app, service, folder, options["--events"])
    }

    /// A client that keeps sessions in this folder, with a lock that the person can switch on: a PIN, asked by `keypad`.
    func client(
        _ provider: some AuthProvider, _ reason: String, _ keypad: Keypad, _ policy: UnlockPolicy
    ) -> AuthClient.Builder {
        var settings = EngineSettings()
        // A person looks at the screen meanwhile.
        (settings.requestDeadline, settings.patience) = (.seconds(3), .seconds(2))
        let lock = PresenceUnlock(.pin, in: "\(folder)/lock") { _ in await keypad.typed() }
        return AuthClient.Builder()
            .provider(provider)
            .store(.file(unencryptedAt: "\(folder)/sessions"))
            .unlock(lock, reason: reason, policy: policy)
            .transport(.curl())
            .settings(settings)
    }

    /// The project of the apps that use Supabase.
    var project: SupabaseProvider { .supabase(projectURL: service, publishableKey: Self.projectKey) }

    static let projectKey = "sb_publishable_development"
}

/// The keys for a PIN on the lock screen. What is typed there is taken once.
actor Keypad {
    private var digits: Secret?

    func type(_ digits: String) { self.digits = digits.isEmpty ? nil : Secret(digits) }

    /// Returns what was typed; `nil` if the person has turned away.
    func typed() -> Secret? {
        defer { digits = nil }
        return digits
    }
}
