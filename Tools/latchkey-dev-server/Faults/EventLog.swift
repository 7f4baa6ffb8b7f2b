import LatchkeyJSON

extension DevServer {
    /// One action of the server. It never contains a token, code, password or body.
    public struct Entry: Hashable, Sendable {
        /// The entry's number, counted from 1 since the start.
        public var sequence: Int
        /// The endpoint of the request.
        public var endpoint: Endpoint
        /// The grant; `other` for one that the server does not know.
        public var grant: String?
        /// The registered client, if the request named one.
        public var client: String?
        /// `ok`, an error code of OAuth, or a word of the server's own such as `asked`, `page` or `not_reached`.
        public var outcome: String
        /// The fault that hit the request.
        public var fault: Fault.Kind?
        /// For a code's exchange, a refresh or a revocation: the approval that the tokens came from, counted from
        /// 1.
        public var family: Int?
        /// For a refresh, the refresh token of the family that it gave; for a revocation, the one that was revoked.
        /// Counted from 0; `nil` for an access token.
        public var generation: Int?
        /// The program's `User-Agent`, at most 64 characters.
        public var agent: String?

        /// Whether the server acted on the request, even if its answer was lost.
        public var isActed: Bool { outcome != Self.notReached }

        static let notReached = "not_reached"
    }
}

extension DevServer.Entry: CustomStringConvertible {
    /// One line: `acted 7 token refresh_token ok family=1 generation=2, hold`.
    public var description: String {
        let words = [
            isActed ? "acted" : "lost", "\(sequence)", endpoint.rawValue, grant, isActed ? outcome : nil,
            family.map { "family=\($0)" }, generation.map { "generation=\($0)" },
        ]
        return words.compactMap(\.self).joined(separator: " ") + (fault.map { ", \($0.rawValue)" } ?? "")
    }
}

/// The endpoint's findings about a request, for the log.
struct Note {
    var grant: String?
    var client: String?
    var outcome = "ok"
    var family: Int?
    var generation: Int?
    var agent: String?

    static let agentLimit = 64
}

/// The latest 10,000 entries.
struct EventLog: Sendable {
    static let capacity = 10_000
    private var entries: [DevServer.Entry] = []
    private(set) var total = 0

    /// The latest entries, oldest first.
    var latest: [DevServer.Entry] { Array(entries.suffix(Self.capacity)) }

    mutating func append(
        _ endpoint: DevServer.Endpoint, _ note: Note, fault: DevServer.Fault.Kind?
    ) -> DevServer.Entry {
        total += 1
        let entry = DevServer.Entry(
            sequence: total, endpoint: endpoint, grant: note.grant, client: note.client, outcome: note.outcome,
            fault: fault, family: note.family, generation: note.generation,
            agent: note.agent.map { String($0.prefix(Note.agentLimit)) })
        entries.append(entry)
        if entries.count >= 2 * Self.capacity { entries.removeFirst(entries.count - Self.capacity) }
        return entry
    }
}

extension DevServer.Entry {
    var json: JSON {
        var members: [String: JSON] = [
            "sequence": .integer(Int64(sequence)), "endpoint": .string(endpoint.rawValue),
            "outcome": .string(outcome),
        ]
        if let grant { members["grant"] = .string(grant) }
        if let client { members["client"] = .string(client) }
        if let fault { members["fault"] = .string(fault.rawValue) }
        if let family { members["family"] = .integer(Int64(family)) }
        if let generation { members["generation"] = .integer(Int64(generation)) }
        if let agent { members["agent"] = .string(agent) }
        return .object(members)
    }
}
