import Testing

/// A recorded exchange, and what is to come of it.
struct RecordedRow<Outcome: Sendable>: Sendable, CustomTestStringConvertible {
    var server: Server
    var exchange: String
    var outcome: Outcome
    var testDescription: String { "\(server.rawValue): \(exchange)" }

    init(_ server: Server, _ exchange: String, _ outcome: Outcome) {
        self.server = server
        self.exchange = exchange
        self.outcome = outcome
    }
}
