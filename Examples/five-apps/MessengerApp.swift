import Foundation
import Latchkey
import LatchkeyModel

/// A messenger that locks, if the person wants that: after a time that they choose, and while it is out of sight. People sign
/// in by a code of a mail.
@MainActor struct MessengerApp: App {
    private let auth: AuthClient
    private let screens: Screens
    private let pages: Pages
    private let setting: URL

    init(_ place: Place) throws {
        let keypad = Keypad()
        pages = Pages(in: place.folder)
        setting = URL(fileURLWithPath: "\(place.folder)/lock-after.txt")
        let chosen = (try? String(contentsOf: setting, encoding: .utf8)) ?? ""
        // The choice is no secret, and the client does not store it.
        let policy = UnlockPolicy(
            afterBackground: .seconds(1), interval: Self.interval(chosen), enrolment: .offered)
        auth = try place.client(place.project, "Show your messages", keypad, policy).build()
        screens = Screens(auth, keypad) { options in
            options.language = .english
            options.methods = [.code]
        }
    }

    func open() async -> String { await screens.open() }

    func take(_ tap: Tap) async -> String {
        switch tap.word {
        case "send", "read": return messages(tap)
        case "lock-after": return await lockAfter(tap[0])
        default: return await screens.take(tap)
        }
    }

    func close() async { await auth.finish() }

    private func messages(_ tap: Tap) -> String {
        guard screens.showsContent, let person = screens.model.person else { return screens.shown }
        if tap.word == "send", (try? pages.add(tap.text, of: person.id)) == nil { return "not stored" }
        return "messages of \(person.label ?? "somebody"): \(pages.all(of: person.id).joined(separator: ", "))"
    }

    /// The settings page: `never`, or seconds. It takes effect at once, and counts from the last proof.
    private func lockAfter(_ choice: String) async -> String {
        guard var policy = auth.unlockPolicy else { return screens.shown }
        policy.interval = Self.interval(choice)
        do throws(AuthError) {
            try await auth.setUnlockPolicy(policy)
        } catch {
            return "not changed: \(error.code.name)"
        }
        do { try Data(choice.utf8).write(to: setting) } catch { return "changed for this launch only" }
        return "locks after: \(choice)"
    }

    private static func interval(_ choice: String) -> Duration? { Int(choice).map { .seconds($0) } }
}
