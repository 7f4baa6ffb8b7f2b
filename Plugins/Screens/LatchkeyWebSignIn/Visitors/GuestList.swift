import Latchkey
import LatchkeyJSON

/// The guests of one of the lists that the store keeps: those who have sent a form and are not signed in.
///
/// When there are too many, those make room that came in the greatest crowd: from the address with the most guests, and
/// of them in the minute with the most. So a flood ends its own guests first, with or without addresses.
struct GuestList: Equatable, Sendable {
    struct Guest: Equatable, Sendable {
        var id: String
        /// When it came, in seconds since 1970.
        var came: Int64
        /// When its cookie is worth nothing any more.
        var end: Int64
        /// How much it has in the store.
        var bytes: Int
        /// Where it came from; empty if the app does not say.
        var place: String
    }

    /// How many lists there are: one for each first character of an ID.
    static let count = 64

    /// In the order in which they came.
    var guests: [Guest] = []

    init() {}

    /// Adds a guest, or notes what it has now.
    mutating func put(_ guest: Guest) {
        guard let index = guests.firstIndex(where: { $0.id == guest.id }) else { return guests.append(guest) }
        (guests[index].bytes, guests[index].end) = (max(guest.bytes, 0), max(guest.end, guests[index].end))
    }

    /// Takes those out whose time is over at `now`, and those who make room. Never `kept`, who is being served.
    mutating func takeLeaving(at now: Int64, _ limits: GuestLimits, except kept: String) -> [String] {
        var gone = guests.filter { $0.end <= now && $0.id != kept }.map(\.id)
        guests.removeAll { $0.end <= now && $0.id != kept }
        var total = guests.reduce(0) { $0 + $1.bytes }
        let (number, bytes) = (Self.share(limits.number), Self.share(limits.bytes))
        let perPlace = Self.share(limits.perAddress)
        while true {
            let isFull = guests.count > number || total > bytes
            let crowds = Dictionary(grouping: guests) { $0.place }
            let tooMany = crowds.filter { !$0.key.isEmpty && $0.value.count > perPlace }
            guard isFull || !tooMany.isEmpty else { return gone }
            let others = (isFull ? crowds : tooMany).mapValues { crowd in crowd.filter { $0.id != kept } }
            let crowd = Self.greatest(others.filter { !$0.value.isEmpty }, by: \.place)
            let minute = Self.greatest(Dictionary(grouping: crowd) { $0.came / 60 }, by: \.came)
            guard let leaving = minute.first else { return gone }
            guests.removeAll { $0.id == leaving.id }
            total -= leaving.bytes
            gone.append(leaving.id)
        }
    }

    /// The greatest of some crowds; of equal ones, the one that is last by `order`.
    private static func greatest<Key: Hashable, Order: Comparable>(
        _ crowds: [Key: [Guest]], by order: KeyPath<Guest, Order>
    ) -> [Guest] {
        crowds.values.max { first, second in
            guard first.count == second.count, let one = first.first, let other = second.first else {
                return first.count < second.count
            }
            return one[keyPath: order] < other[keyPath: order]
        } ?? []
    }

    /// One list's share of a limit.
    private static func share(_ limit: Int) -> Int { max(1, (max(0, limit) + count - 1) / count) }
}

// MARK: Wire

extension GuestList {
    /// - Throws: ``/Latchkey/AuthError`` `store(.damaged)`.
    init(_ bytes: [UInt8]) throws(AuthError) {
        do throws(JSONError) {
            guests = try JSONField(try JSON.parse(bytes))["guests"].array().map { guest throws(JSONError) in
                Guest(
                    id: try guest["id"].string(), came: try guest["came"].integer(), end: try guest["end"].integer(),
                    bytes: Int(clamping: try guest["bytes"].integer()), place: try guest["place"].string())
            }
        } catch { throw AuthError(.store(.damaged), "A list of guests is damaged.") }
    }

    var bytes: [UInt8] {
        JSONDraft.members([
            "guests": .array(
                guests.map { guest in
                    .object([
                        ("id", .string(guest.id)), ("came", .integer(guest.came)), ("end", .integer(guest.end)),
                        ("bytes", .integer(Int64(guest.bytes))), ("place", .string(guest.place)),
                    ])
                })
        ]).serialized()
    }
}
