import Latchkey
import LatchkeyModel

/// A budget app on Supabase, in French. Each launch needs a sign-in, unless the person has switched the lock on: only then is the
/// session kept. Signing out takes the lock away.
@MainActor struct BudgetApp: App {
    private let auth: AuthClient
    private let screens: Screens
    private let pages: Pages

    init(_ place: Place) throws {
        let keypad = Keypad()
        pages = Pages(in: place.folder)
        auth = try place.client(
            place.project, "Ouvrir votre budget", keypad,
            UnlockPolicy(enrolment: .offered, keeping: .whileEnabled)
        ).build()
        screens = Screens(auth, keypad) { $0.language = .french }
    }

    func open() async -> String { await screens.open() }

    func take(_ tap: Tap) async -> String {
        switch tap.word {
        case "spend", "balance":
            guard screens.showsContent, let person = screens.model.person else { return screens.shown }
            if tap.word == "spend", (try? pages.add(tap[0], of: person.id)) == nil { return "pas enregistré" }
            let sum = pages.all(of: person.id).compactMap(Int.init).reduce(0, +)
            return "dépensé : \(sum)"
        default: return await screens.take(tap)
        }
    }

    func close() async { await auth.finish() }
}
