import Latchkey
import LatchkeyFileStore
import LatchkeySystem
import LatchkeyTesting
import Testing

@Suite("File store: flushes")
struct FileStoreFlushTests {
    /// Notes what is flushed: a file before it is put in its place, or a directory.
    private struct NotingFiles: ForwardingFiles {
        let inner: any FileAccess
        let path: String
        let flushed: Locked<[String]>

        func entry(_ path: String) throws -> FileEntry? {
            let whole = path.hasPrefix("/") ? path : path == "." ? self.path : "\(self.path)/\(path)"
            return try inner.entry(path)?.withFiles { NotingFiles(inner: $0, path: whole, flushed: flushed) }
        }

        func writeNew(_ path: String, _ bytes: [UInt8]) throws {
            flushed.withLock { $0.append("a file") }
            try inner.writeNew(path, bytes)
        }

        func syncDirectory(_ path: String) throws {
            flushed.withLock { $0.append(path == "." ? self.path : path) }
            try inner.syncDirectory(path)
        }

        /// What was flushed since the last call.
        func take() -> [String] {
            flushed.withLock { flushed in
                defer { flushed = [] }
                return flushed.map { $0.replacing("//", with: "/") }
            }
        }
    }

    private let key = StoreKey(.credential, "alice")

    @Test(
        "a commit flushes the record and its directory; the first one of a directory also those above it, and only that"
    )
    func counted() async throws {
        let files = NotingFiles(inner: SimulatedFiles(on: SimulatedDisk()), path: "", flushed: Locked([]))
        func process(_ seed: UInt64) -> FileStore {
            FileStore(unencryptedAt: "/home/alice/data/store", context: .testing(seed: seed, files: files))
        }
        let first = process(1)
        var version = try await first.replace(key, at: nil, with: [1])
        let made = files.take()
        #expect(made.contains("/home/alice/data") && made.suffix(2) == ["a file", "/home/alice/data/store"])
        version = try await first.replace(key, at: version, with: [2])
        #expect(files.take() == ["a file", "/home/alice/data/store"])
        let next = process(2)
        #expect(try next.read(key)?.bytes == [2])
        #expect(files.take() == [])
        version = try await next.replace(key, at: version, with: [3])
        #expect(files.take() == ["a file", "/home/alice/data/store"])
        try await next.replace(key, at: version, with: nil)
        #expect(files.take() == ["/home/alice/data/store"])
        // Nothing shows any more that the directories above are durable.
        try await process(3).replace(key, at: nil, with: [4])
        #expect(files.take() == made)
    }
}
