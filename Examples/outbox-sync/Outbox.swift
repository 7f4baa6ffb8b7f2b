import CSQLite
import Foundation

/// Events that wait to be sent, on disk: whatever was added outlasts a crash, until its service has it.
///
/// An event that is being sent when the program dies is sent again. Its ID goes along as `Idempotency-Key`, by which
/// the service knows it again.
actor Outbox {
    struct Event: Sendable {
        let id: String
        let body: String
    }

    struct Trouble: Error {
        let text: String
    }

    private let database: Database
    /// What workers of this program are sending now.
    private var inHand: Set<String> = []

    init(at path: String) throws {
        database = try Database(path)
        try database.run(
            """
            CREATE TABLE IF NOT EXISTS events (
                n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL, refusal TEXT)
            """)
        try database.run("CREATE INDEX IF NOT EXISTS waiting ON events (n) WHERE refusal IS NULL")
    }

    /// Adds one event for each body. All of them are stored for good, or none is.
    func add(_ bodies: [String]) throws {
        try database.run("BEGIN IMMEDIATE")
        do {
            for body in bodies {
                try database.run("INSERT INTO events (id, body) VALUES (?, ?)", UUID().uuidString, body)
            }
            try database.run("COMMIT")
        } catch {
            try? database.run("ROLLBACK")
            throw error
        }
    }

    /// Takes the oldest event that nobody has in hand; `nil` if there is none.
    func take() throws -> Event? {
        let rows = try database.rows(
            "SELECT id, body FROM events WHERE refusal IS NULL ORDER BY n LIMIT ?", "\(inHand.count + 1)")
        guard let row = rows.first(where: { !inHand.contains($0[0]) }) else { return nil }
        inHand.insert(row[0])
        return Event(id: row[0], body: row[1])
    }

    /// The service has it.
    func remove(_ event: Event) throws {
        try database.run("DELETE FROM events WHERE id = ?", event.id)
        inHand.remove(event.id)
    }

    /// It was not sent, and waits again.
    func putBack(_ event: Event) { inHand.remove(event.id) }

    /// The service refuses it for good: it stays here, to be shown to the person, and the others go on.
    func setAside(_ event: Event, because reason: String) throws {
        try database.run("UPDATE events SET refusal = ? WHERE id = ?", reason, event.id)
        inHand.remove(event.id)
    }

    /// How many events wait, and how many were set aside.
    func count() throws -> (waiting: Int, aside: Int) {
        let row = try database.rows("SELECT count(*) - count(refusal), count(refusal) FROM events").first
        return (row.flatMap { Int($0[0]) } ?? 0, row.flatMap { Int($0[1]) } ?? 0)
    }
}
