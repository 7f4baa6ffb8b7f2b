package import Latchkey

/// A process that counts in one record beside others. No increment may be lost.
package enum CountingMember {
    /// Adds one this many times, and tries again if another writer was first. Returns how often that happened.
    package static func count(_ times: Int, in store: any SessionStore) async throws -> Int {
        let key = StoreKey(.settings, "counter")
        var conflicts = 0
        for _ in 0..<times {
            while true {
                let found = try await store.read(key)
                let number = found.flatMap { Int(String(decoding: $0.bytes, as: UTF8.self)) } ?? 0
                do {
                    try await store.replace(key, at: found?.version, with: Array(String(number + 1).utf8))
                    break
                } catch is StoreConflict {
                    conflicts += 1
                }
            }
        }
        return conflicts
    }
}
