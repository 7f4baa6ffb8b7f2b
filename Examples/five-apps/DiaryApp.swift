import Latchkey
import LatchkeyCurl
import LatchkeyModel

/// A mood diary on Supabase. What is written goes to an outbox on the disk, and is sent in the background while its author is
/// signed in. If the session ends, the outbox stops and keeps everything, and goes on after the next sign-in.
@MainActor struct DiaryApp: App {
    private let auth: AuthClient
    private let screens: Screens
    private let outbox: Outbox
    private let sending: Task<Void, Never>

    init(_ place: Place) throws {
        let keypad = Keypad()
        let outbox = try Outbox(in: "\(place.folder)/outbox")
        let auth = try place.client(
            place.project, "Show your diary", keypad, UnlockPolicy(enrolment: .offered)
        ).build()
        let events = place.events ?? place.service
        let api = try auth.authorized(CurlTransport(), origins: [WebAddress(events)?.origin ?? events])
        (self.auth, self.outbox) = (auth, outbox)
        screens = Screens(auth, keypad) { $0.language = .english }
        sending = Task { await Self.send(outbox, over: api, to: events, auth) }
    }

    func open() async -> String { "\(await screens.open()); \(await counts)" }

    func take(_ tap: Tap) async -> String {
        guard tap.word == "write" else {
            let shown = await screens.take(tap)
            // Another person's events may wait.
            outbox.ring()
            return "\(shown); \(await counts)"
        }
        guard screens.showsContent, let person = screens.model.person else { return screens.shown }
        do { try await outbox.add(tap.text, of: person.id) } catch { return "not stored" }
        return "written; \(await counts)"
    }

    func close() async {
        sending.cancel()
        await auth.finish()
    }

    private var counts: String { get async { "\(await outbox.count) wait" } }

    /// Sends whatever its author may send, whenever something was written or somebody may have come.
    private static func send(
        _ outbox: Outbox, over api: AuthorizedTransport<CurlTransport>, to address: String, _ auth: AuthClient
    ) async {
        for await _ in outbox.bell {
            for await leave in auth.whenSignedIn {
                guard let event = await outbox.first(of: leave.account) else { break }
                var request = TransportRequest("POST", address, body: Array(event.text.utf8))
                request.fields.add("Idempotency-Key", event.id)
                switch await leave.send(request, over: api, within: .seconds(4)) {
                case .done: await outbox.remove(event)
                case .later: continue
                case .refused: await outbox.setAside(event)
                }
            }
        }
    }
}
