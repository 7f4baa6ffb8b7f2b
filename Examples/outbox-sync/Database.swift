import CSQLite

/// A connection to SQLite, used by one actor.
final class Database {
    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    init(_ path: String) throws {
        var handle: OpaquePointer?
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil) == SQLITE_OK, let handle
        else {
            sqlite3_close_v2(handle)
            throw Outbox.Trouble(text: "\(path) cannot be opened as a database")
        }
        self.handle = handle
        // Another program of the person may have it open, too.
        sqlite3_busy_timeout(handle, 10_000)
        // A commit is on the disk when it returns.
        try run("PRAGMA journal_mode = WAL")
        try run("PRAGMA synchronous = FULL")
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    func run(_ sql: String, _ values: String...) throws { _ = try step(sql, values) }

    /// Returns the rows, each column as text.
    func rows(_ sql: String, _ values: String...) throws -> [[String]] { try step(sql, values) }

    private func step(_ sql: String, _ values: [String]) throws -> [[String]] {
        let statement = try prepared(sql)
        defer { sqlite3_reset(statement) }
        for (index, value) in values.enumerated() {
            guard shim_sqlite_bind_text(statement, Int32(index + 1), value) == SQLITE_OK else { throw trouble }
        }
        var rows: [[String]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_DONE: return rows
            case SQLITE_ROW:
                rows.append(
                    (0..<sqlite3_column_count(statement)).map { column in
                        sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
                    })
            default: throw trouble
            }
        }
    }

    private func prepared(_ sql: String) throws -> OpaquePointer {
        if let known = statements[sql] { return known }
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else { throw trouble }
        statements[sql] = statement
        return statement
    }

    private var trouble: Outbox.Trouble { Outbox.Trouble(text: String(cString: sqlite3_errmsg(handle))) }
}
