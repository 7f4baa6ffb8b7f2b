import FoundationEssentials
import LatchkeyJSON

/// The documents of one provider's service, as they are stored.
struct DocumentRecord: Equatable, Sendable {
    /// A document and its lifetime.
    struct Entry: Equatable, Sendable {
        var body: String
        /// When it was fetched.
        var since: CredentialRecord.Stamp
        var lifetime: Duration

        /// For how long it may still be used; `nil` if no longer, or if it is from the future.
        func rest(by clock: any AuthClock) -> Duration? {
            // Whatever the record says, no document is used for longer than a day.
            guard let age = clock.age(of: since), age < min(lifetime, ServiceDocuments.longest) else { return nil }
            return min(lifetime, ServiceDocuments.longest) - age
        }
    }

    static let kind = "latchkey.documents"
    /// The most documents of one service.
    private static let most = 8

    /// What the connections depended on that they came by.
    var trust: String
    /// By address.
    var entries: [String: Entry] = [:]
    private var format: Int64 = 1

    /// Whether this version may change the record.
    var isCurrent: Bool { format == 1 }

    init(trust: String) { self.trust = trust }

    /// The record in `bytes`. Of a newer format nothing is read.
    ///
    /// - Throws: ``AuthError`` `store(.damaged)`.
    init(_ bytes: [UInt8]) throws(AuthError) {
        let document = try RecordWire.open(bytes, kind: Self.kind)
        do throws(JSONError) {
            trust = try document["trust"].string()
            format = try document[RecordWire.format].integer()
            guard isCurrent else { return }
            for entry in try document["documents"].list() {
                entries[try entry["address"].string()] = Entry(
                    body: try entry["body"].string(),
                    since: CredentialRecord.Stamp(
                        boot: try entry["boot"].string(),
                        at: MonotonicInstant(nanoseconds: try entry["at"].integer()), wall: try entry["wall"].date()),
                    lifetime: try entry["lasts"].duration())
            }
        } catch {
            throw RecordWire.damaged(error)
        }
    }

    func bytes() -> [UInt8] {
        let documents = entries.sorted { $0.key < $1.key }.map { address, entry in
            JSONDraft.members([
                "address": .string(address), "body": .string(entry.body), "boot": .string(entry.since.boot),
                "at": .integer(entry.since.at.nanoseconds), "wall": .date(entry.since.wall),
                "lasts": .nanoseconds(entry.lifetime),
            ])
        }
        return JSONDraft.members([
            RecordWire.kind: .string(Self.kind), RecordWire.format: .integer(format), "trust": .string(trust),
            "documents": .array(documents),
        ]).serialized()
    }

    /// Drops what may not be used any more, and what is one too many.
    mutating func tidy(by clock: any AuthClock) {
        var rests = entries.compactMapValues { $0.rest(by: clock) }
        while rests.count > Self.most, let shortest = rests.min(by: { $0.value < $1.value })?.key {
            rests[shortest] = nil
        }
        entries = entries.filter { rests[$0.key] != nil }
    }
}
