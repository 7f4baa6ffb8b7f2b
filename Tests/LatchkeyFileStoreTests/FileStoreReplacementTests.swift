import Latchkey
import LatchkeyFileStore
import LatchkeySystem
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("File store: reading beside a writer") struct FileStoreReplacementTests {
    let key = StoreKey(.credential, "alice")

    /// A reader finds the file by its name, and looks at it a moment later; a writer may have renamed another over it
    /// in between. Writers that flush are too slow to show that often, so this one does not.
    @Test("a record that is replaced again and again is read each time, and is never taken for an unsafe one")
    func readWhileReplaced() async throws {
        let place = try TemporaryDirectory()
        let store = FileStore(unencryptedAt: place.path)
        try await store.replace(key, at: nil, with: [1])
        let name = try #require(try SystemFiles().list(place.path).first { $0.hasSuffix(".record") })
        let path = "\(place.path)/\(name)"
        let bytes = try #require(try SystemFiles().read(path, limit: 1 << 20))
        let isDone = Locked(false)
        async let replacements = replace(path, with: bytes, until: isDone)
        var refusals: [String] = []
        for look in 0..<20_000 {
            do {
                if try store.read(key)?.bytes != [1] { refusals.append("look \(look): absent") }
            } catch {
                refusals.append("look \(look): \(error)")
            }
            if look % 100 == 0 { await Task.yield() }
        }
        isDone.withLock { $0 = true }
        let made = await replacements
        #expect(made > 100, "The writer did not come by.")
        #expect(refusals.isEmpty, "\(refusals.count) in \(made) replacements: \(refusals.first ?? "")")
    }

    /// Renames new files over `path`; how many.
    private func replace(_ path: String, with bytes: [UInt8], until isDone: Locked<Bool>) async -> Int {
        var made = 0
        while made < 2_000_000, !isDone.withLock({ $0 }) {
            let file = open("\(path).new", O_WRONLY | O_CREAT | O_EXCL, 0o600)
            guard file >= 0, write(file, bytes, bytes.count) == bytes.count, close(file) == 0,
                rename("\(path).new", path) == 0
            else { return made }
            made += 1
            if made % 100 == 0 { await Task.yield() }
        }
        return made
    }
}
