import Latchkey

/// Contents and names that break careless stores.
enum StoreSamples {
    static let bytes = Array(UInt8.min...UInt8.max)

    static let names = [
        "", "a", "A", "a/b", "../a", "..", ".", "a.record", "a b", "a\"b\\c", "a\nb\r", "é", "日本語", "😀", "%2e%2e",
        "a;drop", String(repeating: "n", count: 4_096), String(repeating: "\u{1}", count: 4_096),
    ]
}

extension StoreContract {
    func absent(_ store: Store) async throws {
        for kind in StoreKey.Kind.allCases {
            try expect(try await store.read(StoreKey(kind, "nobody")) == nil, "it read something")
        }
    }

    func written(_ store: Store) async throws {
        let contents = [[], StoreSamples.bytes, [UInt8](repeating: 0xA5, count: 65_536)]
        for (index, bytes) in contents.enumerated() {
            let key = StoreKey(.credential, "record \(index)")
            let version = try await store.replace(key, at: nil, with: bytes)
            let found = try await store.read(key)
            try expect(version != nil, "replace returned no version")
            try expect(found?.bytes == bytes, "\(bytes.count) bytes were read as other ones, or as none")
            try expect(found?.version == version, "read and replace gave two versions")
        }
    }

    func replaced(_ store: Store) async throws {
        let key = StoreKey(.credential, "alice")
        var version = try await store.replace(key, at: nil, with: [1])
        for bytes in [StoreSamples.bytes, [2], []] {
            let next = try await store.replace(key, at: version, with: bytes)
            let found = try await store.read(key)
            try expect(next != version, "the version stayed as it was")
            try expect(found?.bytes == bytes && found?.version == next, "the new record was not read")
            version = next
        }
    }

    func conflicts(_ store: Store) async throws {
        let (key, other) = (StoreKey(.credential, "alice"), StoreKey(.credential, "bob"))
        let stale = try await store.replace(key, at: nil, with: [1])
        let current = try await store.replace(key, at: stale, with: [2])
        let foreign = try await store.replace(other, at: nil, with: [3])
        for version in [stale, foreign, nil, RecordVersion([]), RecordVersion([0xFF])] {
            for bytes in [[9], nil] as [[UInt8]?] {
                try await expectConflict { try await store.replace(key, at: version, with: bytes) }
            }
        }
        let found = try await store.read(key)
        try expect(found?.bytes == [2] && found?.version == current, "the record was changed")
        let absent = StoreKey(.credential, "nobody")
        try await expectConflict { try await store.replace(absent, at: current, with: [9]) }
        try await expectConflict { try await store.replace(absent, at: current, with: nil) }
        try expect(try await store.read(absent) == nil, "a record was made")
    }

    func deletions(_ store: Store) async throws {
        let key = StoreKey(.challenge, "alice")
        try expect(try await store.replace(key, at: nil, with: nil) == nil, "a deletion returned a version")
        let stale = try await store.replace(key, at: nil, with: [1])
        let current = try await store.replace(key, at: stale, with: [2])
        try await expectConflict { try await store.replace(key, at: stale, with: nil) }
        try expect(try await store.replace(key, at: current, with: nil) == nil, "a deletion returned a version")
        try expect(try await store.read(key) == nil, "the record is still there")
        try await store.replace(key, at: nil, with: nil)
    }

    func versions(_ store: Store) async throws {
        let key = StoreKey(.credential, "alice")
        var seen: Set<RecordVersion> = []
        for _ in 1...32 {
            let first = try await store.replace(key, at: nil, with: [1])
            let second = try await store.replace(key, at: first, with: [1])
            try await store.replace(key, at: second, with: nil)
            for version in [first, second].compactMap({ $0 }) {
                try expect(seen.insert(version).inserted, "a version came again")
            }
            try await expectConflict { try await store.replace(key, at: second, with: [9]) }
        }
        try expect(seen.count == 64, "replace returned no version")
    }

    func otherKeys(_ store: Store) async throws {
        let keys = StoreKey.Kind.allCases.flatMap { kind in ["alice", "Alice", "alice2"].map { StoreKey(kind, $0) } }
        var versions: [StoreKey: RecordVersion] = [:]
        for (index, key) in keys.enumerated() {
            versions[key] = try await store.replace(key, at: nil, with: [UInt8(index)])
        }
        let touched = keys[0]
        versions[touched] = try await store.replace(touched, at: versions[touched], with: [99])
        try await store.replace(touched, at: versions[touched], with: nil)
        for (index, key) in keys.enumerated().dropFirst() {
            let found = try await store.read(key)
            try expect(found?.bytes == [UInt8(index)] && found?.version == versions[key], "another record was changed")
        }
    }

    func listed(_ store: Store) async throws {
        var expected: [StoreKey.Kind: Set<StoreKey>] = [:]
        for kind in StoreKey.Kind.allCases {
            try expect(try await store.keys(kind).isEmpty, "a new store lists keys")
            for name in ["alice", "bob", "a/b"] {
                try await store.replace(StoreKey(kind, name), at: nil, with: [1])
                expected[kind, default: []].insert(StoreKey(kind, name))
            }
        }
        let gone = StoreKey(.credential, "bob")
        try await store.replace(gone, at: try await store.read(gone)?.version, with: nil)
        expected[.credential]?.remove(gone)
        for kind in StoreKey.Kind.allCases {
            let found = try await store.keys(kind)
            try expect(Set(found) == expected[kind] && found.count == Set(found).count, "it lists others, or one twice")
        }
    }

    func names(_ store: Store) async throws {
        for (index, name) in StoreSamples.names.enumerated() {
            try await store.replace(StoreKey(.credential, name), at: nil, with: [UInt8(index)])
        }
        for (index, name) in StoreSamples.names.enumerated() {
            let found = try await store.read(StoreKey(.credential, name))
            try expect(found?.bytes == [UInt8(index)], "name number \(index) has another record")
        }
        let listed = try await store.keys(.credential).map(\.name)
        try expect(listed.sorted() == StoreSamples.names.sorted(), "keys gives names back otherwise")
    }

    func refusedNames(_ store: Store) async throws {
        for name in [String(repeating: "n", count: 4_097), "a\0b"] {
            let key = StoreKey(.credential, name)
            let isInvalid = { (code: AuthError.Code) in code == .configuration(.invalid) }
            try await expectError("configuration(.invalid)", where: isInvalid) { _ = try await store.read(key) }
            try await expectError("configuration(.invalid)", where: isInvalid) {
                try await store.replace(key, at: nil, with: [1])
            }
        }
    }

    func oneWinner(_ store: Store, _ meeting: Meeting) async throws {
        let key = StoreKey(.credential, "raced")
        let start = try await store.replace(key, at: nil, with: [0])
        let writers = (UInt8(1)...8).map { number in
            { @Sendable () async throws -> UInt8? in
                do { try await store.replace(key, at: start, with: [number]) } catch is StoreConflict { return nil }
                return number
            }
        }
        meeting.expect(writers.count)
        let winners = try await atOnce(writers).compactMap { $0 }
        try expect(winners.count == 1, "\(winners.count) of 8 won")
        try expect(try await store.read(key)?.bytes == winners, "another's record is there")
    }
}
