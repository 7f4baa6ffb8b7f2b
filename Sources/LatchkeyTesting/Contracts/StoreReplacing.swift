import Latchkey

/// Replaces a record while another task reads it. The reader must find the old record or the new one.
enum StoreReplacing {
    static func run(writing: any SessionStore, reading: any SessionStore) async throws {
        let key = StoreKey(.credential, "replaced")
        let start = try await writing.replace(key, at: nil, with: StoreSamples.bytes)
        let isOver = Latch()
        let writer = { @Sendable () async throws -> Void in
            defer { isOver.open() }
            var version = start
            for _ in 1...20 { version = try await writing.replace(key, at: version, with: StoreSamples.bytes) }
        }
        let reader = { @Sendable () async throws -> Void in
            while !isOver.isOpen {
                let found = try await reading.read(key)?.bytes
                try expect(found == StoreSamples.bytes, "for a moment it was absent, or not whole")
            }
        }
        _ = try await atOnce([writer, reader])
    }
}
