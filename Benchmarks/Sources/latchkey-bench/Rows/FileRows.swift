import CBench
import Glibc
import Latchkey
import LatchkeyFileStore

/// Measures a commit of the file store against the system calls that it needs at least.
enum FileRows {
    static func commit() async throws -> Row {
        let place = try Scratch()
        defer { place.remove() }
        let store = FileStore(unencryptedAt: place.path + "/store")
        let key = StoreKey(.credential, "bench https://id.example.com alice")
        let payload = [UInt8](repeating: 0x61, count: 2_000)
        var version = try await store.replace(key, at: nil, with: payload)
        // As many bytes as the store writes, whose header is a line before the record.
        let whole = [UInt8](repeating: 0x61, count: 2_250)
        let bare = place.path + "/bare"
        mkdir(bare, 0o700)
        let times = try await Comparison(
            pairs: 401, of: .count(4),
            ours: { for _ in 0..<$0 { version = try await store.replace(key, at: version, with: payload) } },
            reference: {
                for _ in 0..<$0 where cb_commit(bare, "record", whole, whole.count) != 0 {
                    throw BenchError.failed("the reference could not write")
                }
            })
        return Row("file-commit", times, limit: 1.3)
    }
}

/// A directory on a real disk for the time of a row.
struct Scratch {
    let path: String

    init() throws {
        let base = getenv("BENCH_SCRATCH").map { String(cString: $0) } ?? "/var/tmp"
        var template = Array("\(base)/latchkey-bench-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template), let real = realpath(made, nil) else {
            throw BenchError.failed("there is no directory for files in \(base)")
        }
        path = String(cString: real)
        free(real)
    }

    func remove() { cb_remove_tree(path) }
}
