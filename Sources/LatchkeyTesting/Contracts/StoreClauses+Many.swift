import Latchkey

/// Many records at once, and what a store says of itself.
extension StoreContract {
    /// More than a careless store's limit of a request, some of them absent, one of another kind.
    private func crowd(_ store: Store) async throws -> [StoreKey: RecordVersion] {
        var versions: [StoreKey: RecordVersion] = [:]
        for name in StoreSamples.names + (0..<60).map({ "many \($0)" }) {
            let key = StoreKey(.credential, name)
            versions[key] = try await store.replace(key, at: nil, with: Array("\(name.utf8.count)".utf8))
        }
        _ = try await store.replace(StoreKey(.settings, "many 1"), at: nil, with: [9])
        return versions
    }

    func together(_ store: Store) async throws {
        try expect(try await store.records([]).isEmpty, "no keys have records")
        let versions = try await crowd(store)
        let keys = Array(versions.keys)
        let (absent, other) = (StoreKey(.credential, "nobody"), StoreKey(.challenge, "many 1"))
        let found = try await store.records([absent] + keys + [other] + keys.prefix(3))
        for key in keys {
            let record = try found[key]?.get()
            try expect(record?.version == versions[key], "a record is missing, or another was read in its place")
            try expect(record?.bytes == Array("\(key.name.utf8.count)".utf8), "a record has other bytes")
        }
        try expect(found[absent] == nil && found[other] == nil, "an absent key has a record, or an error")
        try expect(found.count == keys.count, "there are records of keys that were not asked for")
        try await expectError("configuration(.invalid)", where: { $0 == .configuration(.invalid) }) {
            let tooLong = StoreKey(.credential, String(repeating: "n", count: 4_097))
            _ = try await store.records([keys[0], tooLong])[tooLong]?.get()
        }
    }

    func damagedTogether(_ store: Store, _ damaging: Damage) async throws {
        let (good, bad) = (StoreKey(.credential, "good"), StoreKey(.credential, "bad"))
        for key in [good, bad] { _ = try await store.replace(key, at: nil, with: StoreSamples.bytes) }
        try await clauses.given("what damages a record") { try await damaging(store, bad) }
        let found: [StoreKey: Result<StoredRecord, AuthError>]
        do { found = try await store.records([bad, good]) } catch let error as AuthError {
            // A store whose records are all in one file.
            let isWhole = await (try? store.read(good)) == nil
            return try expect(isWhole && error.code == .store(.damaged), "a damaged record hid one that can be read")
        }
        switch found[bad] {
        case .failure(let error): try expect(error.code == .store(.damaged), "the damaged record's error is another")
        case .success: throw Broken("what is damaged was read")
        case nil: throw Broken("what is damaged counts as absent")
        }
        let isRead = (try? found[good]?.get().bytes == StoreSamples.bytes) ?? false
        let isWhole = await (try? store.read(good)) == nil
        try expect(isRead || isWhole, "a damaged record hid one that can be read")
    }

    /// All keys by pages, each as often as it came.
    private func pages(
        _ store: Store, _ prefix: String = "", atMost count: Int, between: ((Int) async throws -> Void)? = nil
    ) async throws -> [StoreKey: Int] {
        var found: [StoreKey: Int] = [:]
        var cursor: KeyCursor?
        for number in 0..<1_000 {
            let page = try await store.page(of: .credential, startingWith: prefix, from: cursor, atMost: count)
            for key in page.keys { found[key, default: 0] += 1 }
            guard let next = page.next else { return found }
            cursor = next
            try await between?(number)
        }
        throw Broken("the pages come to no end")
    }

    func paged(_ store: Store) async throws {
        try expect(try await pages(store, atMost: 10).isEmpty, "a new store has keys")
        let keys = Set(try await crowd(store).keys)
        for count in [1, 7, 1_000] {
            try expect(Set(try await pages(store, atMost: count).keys) == keys, "pages of \(count) hold others")
        }
        for prefix in ["many", "many 1", "a", "A", "%", "_", "*", "?", "[a-z]", "\\", "é", "e", "nobody", "n", "MANY"] {
            let wanted = keys.filter { $0.name.utf8.starts(with: prefix.utf8) }
            let found = Set(try await pages(store, prefix, atMost: 5).keys)
            try expect(found == wanted, "the pages of what begins with \(prefix) hold others")
        }
        for kind in [StoreKey.Kind.settings, .challenge] {
            let page = try await store.page(of: kind, startingWith: "", from: nil, atMost: 100)
            try expect(page.keys.allSatisfy { $0.kind == kind }, "a page holds keys of another kind")
        }
    }

    func changingPages(_ store: Store) async throws {
        let keys = Array(try await crowd(store).keys).filter { $0.name.hasPrefix("many") }.sorted { $0.name < $1.name }
        let (leaving, staying) = (keys.prefix(20), Set(keys.dropFirst(20)))
        let found = try await pages(store, "many", atMost: 4) { number in
            guard number < leaving.count else { return }
            let key = leaving[number]
            try await store.replace(key, at: try await store.read(key)?.version, with: nil)
            try await store.replace(StoreKey(.credential, "many more \(number)"), at: nil, with: [1])
        }
        try expect(staying.isSubset(of: found.keys), "keys that came and went hid one that stayed")
    }

    func resumedPages(_ store: Store, _ reopening: Reopen) async throws {
        _ = try await crowd(store)
        let keys = Set(try await store.keys(.credential))
        let first = try await store.page(of: .credential, startingWith: "", from: nil, atMost: 3)
        var found = Set(first.keys)
        var cursor = first.next
        let again = try await reopening(store, context)
        while let from = cursor {
            let page = try await again.page(of: .credential, startingWith: "", from: from, atMost: 20)
            found.formUnion(page.keys)
            cursor = page.next == from ? nil : page.next
        }
        try expect(found == keys, "a listing does not go on in another process")
    }

    func healthy(_ store: Store) async throws {
        _ = try await store.replace(StoreKey(.credential, "alice"), at: nil, with: Array("a-secret-of-alice".utf8))
        let health = try await store.health()
        let texts = health.findings + [health.place].compactMap(\.self)
        for text in texts {
            let isLine = !text.isEmpty && !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
            try expect(isLine, "what it says of itself is not a line of text")
            try expect(!text.contains("a-secret-of-alice"), "what it says of itself shows a record")
        }
    }
}
