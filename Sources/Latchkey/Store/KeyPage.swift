/// Where a listing of keys goes on. Only the store that gave it can read it, and it can be used in another process.
public struct KeyCursor: Hashable, Sendable {
    /// The store's own bytes for the place.
    public let bytes: [UInt8]

    /// Wraps bytes that the store chose.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// A part of the keys of a store, in no particular order.
public struct KeyPage: Hashable, Sendable {
    /// The keys. There may be none, though more follow.
    public var keys: [StoreKey]
    /// Where the next page begins; `nil` after the last one.
    public var next: KeyCursor?

    /// Creates a page.
    public init(_ keys: [StoreKey], next: KeyCursor? = nil) { (self.keys, self.next) = (keys, next) }

    /// Cuts one page out of all keys of a store, for stores that have them in memory anyway. The pages are in the order
    /// of the names' bytes, and a cursor is the last name of a page, so keys that come and go between two pages shift none.
    ///
    /// - Parameters:
    ///   - keys: Every key of one kind.
    ///   - prefix: What the names begin with.
    ///   - cursor: Where to go on; `nil` begins.
    ///   - count: The most keys of a page, at least one.
    /// - Throws: ``AuthError`` `configuration(.invalid)` for a cursor that is none.
    public init(
        cutting keys: [StoreKey], startingWith prefix: String, from cursor: KeyCursor?, atMost count: Int
    ) throws {
        var after: [UInt8]?
        if let cursor {
            guard let mark = cursor.bytes.first, mark == Self.mark else {
                throw AuthError(.configuration(.invalid), "The cursor is of another listing.")
            }
            after = Array(cursor.bytes.dropFirst())
        }
        let left = keys.map { (key: $0, name: Array($0.name.utf8)) }.filter { key in
            key.name.starts(with: prefix.utf8) && after.map { $0.lexicographicallyPrecedes(key.name) } ?? true
        }.sorted { $0.name.lexicographicallyPrecedes($1.name) }
        let page = left.prefix(max(1, count))
        self.keys = page.map(\.key)
        next = left.count > page.count ? page.last.map { KeyCursor([Self.mark] + $0.name) } : nil
    }

    /// Tells cursors of this cut from those of other stores.
    private static var mark: UInt8 { 0x6E }
}
