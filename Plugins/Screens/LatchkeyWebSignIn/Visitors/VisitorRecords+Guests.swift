import Latchkey

/// The lists of guests in the shared store, and the lease of the process that cleans it up.
extension VisitorRecords {
    private static let lists = "web/guests/"
    private static let sweep = StoreKey(.settings, "web/sweep")

    /// The list of a guest: by the first character of its ID, which is random.
    private static func list(of id: String) -> StoreKey { StoreKey(.settings, lists + id.prefix(1)) }

    /// Notes a guest who sends something.
    ///
    /// - Returns: The IDs of those who make room, and of those whose time is over.
    func enter(_ guest: GuestList.Guest, _ limits: GuestLimits) async throws -> [String] {
        try await change(listOf: guest.id) { list in
            list.put(guest)
            return list.takeLeaving(at: now, limits, except: guest.id)
        }
    }

    /// Takes a guest out: its part of the store is erased, or it is signed in now.
    func leave(_ id: String) async throws {
        _ = try await change(listOf: id) { list in
            list.guests.removeAll { $0.id == id }
            return []
        }
    }

    func guest(_ id: String) async throws -> GuestList.Guest? {
        let list = try await store.read(Self.list(of: id)).map { try GuestList($0.bytes) }
        return list?.guests.first { $0.id == id }
    }

    private func change(
        listOf id: String, _ change: @Sendable (inout GuestList) -> [String]
    ) async throws -> [String] {
        try await changing(Self.list(of: id)) { bytes -> ([String], [UInt8]?) in
            // A damaged list begins anew: who was in it is found again by the clean-up.
            var list = bytes.flatMap { try? GuestList($0) } ?? GuestList()
            let gone = change(&list)
            return (gone, list.guests.isEmpty ? nil : list.bytes)
        }
    }

    // MARK: Clean-up

    /// Takes the lease of the clean-up for `time`, if no other process has it.
    ///
    /// - Returns: When to ask again, in seconds since 1970; `nil` if it is taken.
    func takeSweep(for time: Int64) async throws -> Int64? {
        let now = now
        return try await changing(Self.sweep) { bytes -> (Int64?, [UInt8]?) in
            let end = bytes.flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? 0
            // A lease that ends far away is of a clock that was wrong.
            if end > now, end <= now + time * 2 { return (end, bytes) }
            return (nil, Array(String(now + time).utf8))
        }
    }

    /// Keeps the lease for `time` from now on.
    func keepSweep(for time: Int64) async throws {
        let end = now + time
        _ = try await changing(Self.sweep) { _ -> (Bool, [UInt8]?) in (true, Array(String(end).utf8)) }
    }

    /// The IDs of all browsers with a record.
    func visitors() async throws -> [String] { try await names(below: "web/visitor/") }

    /// Takes the record of a browser away, whatever is in it.
    func forget(_ id: String) async throws {
        _ = try await changing(StoreKey(.settings, "web/visitor/" + id)) { _ -> (Bool, [UInt8]?) in (true, nil) }
    }

    /// Removes browsers that have no record any more from the lists of people.
    func pruneBrowsers() async throws {
        for name in try await names(below: "web/person/") {
            let key = StoreKey(.settings, "web/person/" + name)
            guard let stored = try await store.read(key), let person = try? PersonRecord(stored.bytes) else { continue }
            var lost: Set<String> = []
            for browser in person.browsers where try await visitor(browser.id) == nil { lost.insert(browser.id) }
            guard !lost.isEmpty else { continue }
            _ = try await changing(key) { [lost] bytes -> (Bool, [UInt8]?) in
                var record = try bytes.map { try PersonRecord($0) } ?? PersonRecord()
                record.browsers.removeAll { lost.contains($0.id) }
                return (true, record.browsers.isEmpty ? nil : record.bytes)
            }
        }
    }

    private func names(below prefix: String) async throws -> [String] {
        try await store.keys(.settings).compactMap { key in
            key.name.hasPrefix(prefix) ? String(key.name.dropFirst(prefix.count)) : nil
        }
    }
}
