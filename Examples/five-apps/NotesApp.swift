import Latchkey
import LatchkeyAuditLog
import LatchkeyCurl
import LatchkeyModel

/// A notes app on Supabase. It stays signed in across launches and without a network, warns before access ends, keeps a security
/// log, and offers a lock once, after the first sign-in.
@MainActor struct NotesApp: App {
    private let auth: AuthClient
    private let screens: Screens
    private let log: AuditLog
    private let pages: Pages
    private let api: AuthorizedTransport<CurlTransport>
    private let address: String

    init(_ place: Place) throws {
        let keypad = Keypad()
        log = AuditLog(at: "\(place.folder)/audit")
        pages = Pages(in: place.folder)
        auth = try place.client(
            place.project, "Show your notes", keypad,
            UnlockPolicy(afterBackground: .zero, enrolment: .offered)
        ).auditLog(log).build()
        screens = Screens(auth, keypad) { $0.language = .english }
        api = try auth.authorized(.curl(), origins: [place.service])
        address = "\(place.service)/auth/v1/user"
    }

    func open() async -> String { await screens.open() }

    func take(_ tap: Tap) async -> String {
        switch tap.word {
        case "write": return await write(tap.text)
        case "read": return read()
        case "sync": return await sync()
        case "log": return await history()
        case "erase-log": return await erase()
        default: return await screens.take(tap)
        }
    }

    func close() async {
        await auth.finish()
        try? await log.flush()
    }

    private func write(_ text: String) async -> String {
        guard screens.showsContent, let person = screens.model.person else { return screens.shown }
        do { try pages.add(text, of: person.id) } catch { return "the note could not be stored" }
        return read()
    }

    private func read() -> String {
        guard screens.showsContent, let person = screens.model.person else { return screens.shown }
        return "notes of \(person.label ?? "somebody"): \(pages.all(of: person.id).joined(separator: ", "))"
    }

    /// Asks the service for something that only this person may see. What failed does not lead to the sign-in by itself: the
    /// model does, if the session has ended.
    private func sync() async -> String {
        var request = TransportRequest("GET", address)
        request.fields.add("apikey", Place.projectKey)
        do {
            let status = try await api.send(request, deadline: .seconds(4)).status
            return status == 200 ? "synced" : "not synced: status \(status)"
        } catch let error as AuthError {
            return "not synced: \(error.code.name), \(error.recovery.rawValue)"
        } catch {
            return "not synced: no connection"
        }
    }

    /// What the person may see of the security log: what happened, and how it ended.
    private func history() async -> String {
        do {
            try await log.flush()
            let found = try await log.verify().findings.isEmpty ? "whole" : "damaged"
            let lines = try await log.entries().filter { $0.kind == .event }
            return "log, \(found): " + lines.map { "\($0.action ?? "") \($0.result ?? "")" }.joined(separator: ", ")
        } catch {
            return "the log could not be read"
        }
    }

    private func erase() async -> String {
        guard let person = screens.model.person else { return screens.shown }
        do { return "erased \(try await log.erase(person.id)) lines" } catch { return "the log could not be erased" }
    }
}
