import CBench
import Latchkey
import LatchkeyFileStore

/// Measures the first token of one account of very many, by a client that reads an account when a call names it, against
/// reading the bytes of its record. What the client adds to that may take 2 ms, whatever the number of accounts.
enum NamedRows {
    private static let count = 100_000
    private static let samples = 64
    private static let most = 2_000_000.0

    static func memory() async throws -> Row {
        let store = MemoryStore()
        return try await row("named-memory", store, try await Service.filling(store, with: count))
    }

    static func files() async throws -> Row {
        let place = try Scratch()
        defer { place.remove() }
        let memory = MemoryStore()
        let service = try await Service.filling(memory, with: count)
        var world = PluginContext.system
        world.files = UnflushedFiles()
        let filled = FileStore(unencryptedAt: place.path + "/store", context: world)
        for key in memory.keys(.credential) {
            guard let record = try memory.read(key) else { throw BenchError.failed("a record is gone") }
            try await filled.replace(key, at: nil, with: record.bytes)
        }
        return try await row("named-files", FileStore(unencryptedAt: place.path + "/store"), service)
    }

    private static func row(_ name: String, _ store: any SessionStore, _ service: Service) async throws -> Row {
        var (first, read): ([Double], [Double]) = ([], [])
        var settings = EngineSettings()
        settings.accounts = .whenNamed
        for sample in 0..<samples {
            let account = service.account("subject-\(sample * 1_553)")
            // A client of its own: nothing was read yet.
            let auth = try service.client { $0.store(store).settings(settings) }
            first.append(
                try await time { _ = try await auth.accessToken(of: account) })
            guard try await auth.accounts().count == 1 else { throw BenchError.failed("others were read") }
            read.append(
                try await time {
                    guard try await store.read(StoreKey(.credential, account.value)) != nil else {
                        throw BenchError.failed("no record")
                    }
                })
        }
        let (ours, alone) = (first.sorted()[samples / 2], read.sorted()[samples / 2])
        return Row(
            name: name, ours: "\(Row.time(ours)),\(count)accounts", reference: Row.time(alone), ratio: ours / alone,
            limit: "read+\(Row.time(most))", isWithin: ours - alone <= most)
    }

    private static func time(_ work: () async throws -> Void) async throws -> Double {
        let begun = cb_nanoseconds()
        try await work()
        return Double(cb_nanoseconds() - begun)
    }
}
