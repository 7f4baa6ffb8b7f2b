import CBench
import Glibc
import Latchkey
import LatchkeyCrypto
import LatchkeyEncryptedStore

/// Measures the encrypted store against the calls that it needs at least.
enum VaultRows {
    private static let key = UnlockKey(.key(source: "bench"), Secret([UInt8](repeating: 0x5A, count: 32)))
    private static let options = VaultOptions(isMadeWhenFirstOpened: true, isEphemeral: true)

    private static func store(_ place: Scratch) -> EncryptedFileStore {
        EncryptedFileStore(at: place.path + "/vault", options: options)
    }

    private static func filled(_ place: Scratch, _ accounts: Int) async throws -> EncryptedFileStore {
        let store = store(place)
        try await store.open(with: key)
        for number in 0..<accounts {
            try await store.replace(name(number), at: nil, with: [UInt8](repeating: UInt8(number % 251), count: 2_000))
        }
        return store
    }

    private static func name(_ number: Int) -> StoreKey {
        StoreKey(.credential, "bench https://id.example.com user-\(number)")
    }

    /// Measures a commit against writing as many bytes: write, fsync, rename, fsync.
    static func commit() async throws -> Row {
        let place = try Scratch()
        defer { place.remove() }
        let store = try await filled(place, 4)
        let payload = [UInt8](repeating: 0x61, count: 2_000)
        var version = try await store.read(name(0))?.version
        let whole = [UInt8](repeating: 0x61, count: try store.status().size)
        let bare = place.path + "/bare"
        mkdir(bare, 0o700)
        let times = try await Comparison(
            pairs: 401, of: .count(4),
            ours: { for _ in 0..<$0 { version = try await store.replace(name(0), at: version, with: payload) } },
            reference: {
                for _ in 0..<$0 where cb_commit(bare, "record", whole, whole.count) != 0 {
                    throw BenchError.failed("the reference could not write")
                }
            })
        return Row("vault-commit", times, limit: 1.3)
    }

    /// Measures opening with a known key until records can be read, against reading as many bytes and decrypting
    /// them.
    static func open() async throws -> Row { Row("vault-open", try await opening(10), limit: 2) }

    /// Measures the same with a thousand accounts, against a fixed time.
    static func crowd() async throws -> Row {
        let times = try await opening(1_000, pairs: 101)
        var row = Row("vault-1000", times, limit: nil)
        row.limit = "5ms"
        row.isWithin = times.ours <= 5_000_000
        return row
    }

    private static func opening(_ accounts: Int, pairs: Int = 401) async throws -> Comparison {
        let place = try Scratch()
        defer { place.remove() }
        let size = try await filled(place, accounts).status().size
        let (secret, nonce) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 12))
        let sealed = try AEAD().seal([UInt8](repeating: 0x61, count: size - 16), key: secret, nonce: nonce)
        let path = place.path + "/sealed"
        try SystemFiles().writeNew(path, sealed)
        return try await Comparison(
            pairs: pairs, of: .count(8),
            ours: {
                for _ in 0..<$0 {
                    let store = store(place)
                    try await store.open(with: key)
                }
            },
            reference: {
                for _ in 0..<$0 where cb_read_sealed(path, secret, nonce) != 0 {
                    throw BenchError.failed("the reference could not read")
                }
            })
    }
}
