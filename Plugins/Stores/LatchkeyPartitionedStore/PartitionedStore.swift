public import Latchkey
import LatchkeyCrypto

/// Divides a store into any number of partitions.
public struct PartitionedStore<Inner: SessionStore>: Sendable {
    /// The whole store.
    let inner: Inner
    private let watch: PartitionWatch<Inner>
    private let context: PluginContext

    /// Divides `inner`. Create it once for a store, so that all partitions share one watch of it.
    public init(_ inner: Inner, context: PluginContext = .system) {
        self.inner = inner
        self.context = context
        watch = PartitionWatch(inner, context: context)
    }

    /// Returns the partition called `name`, which may be empty so far.
    ///
    /// - Parameter name: Up to 1,024 bytes of text without U+0000.
    public func partition(_ name: String) -> StorePartition<Inner> {
        StorePartition(name, of: inner, watch: watch, context: context)
    }

    /// Removes everything in the partition called `name`.
    public func erase(_ name: String) async throws {
        let key = StorePartition<Inner>.key(of: name)
        while let stored = try await inner.read(key) {
            do {
                try await inner.replace(key, at: stored.version, with: nil)
                return
            } catch  where error.isSettledByReading {}
        }
    }

    /// Removes everything in the partition called `name`, if `condition` holds for the keys in it.
    ///
    /// - Returns: Whether there is nothing in it any more.
    @discardableResult
    package func erase(_ name: String, if condition: (Set<StoreKey>) -> Bool) async throws -> Bool {
        let key = StorePartition<Inner>.key(of: name)
        while let stored = try await inner.read(key) {
            // What cannot be read may be of a later version.
            guard let bundle = try? PartitionBundle(stored.bytes), condition(Set(bundle.entries.keys)) else {
                return false
            }
            do {
                try await inner.replace(key, at: stored.version, with: nil)
                return true
            } catch  where error.isSettledByReading {}
        }
        return true
    }

    /// How many bytes the partition called `name` takes; `nil` if there is nothing in it.
    package func size(of name: String) async throws -> Int? {
        try await inner.read(StorePartition<Inner>.key(of: name))?.bytes.count
    }

    /// The names of all partitions that have something in them.
    package func names() async throws -> [String] {
        let prefix = StorePartition<Inner>.key(of: "").name
        return try await inner.keys(.credential).compactMap { key in
            key.name.hasPrefix(prefix) ? String(key.name.dropFirst(prefix.count)) : nil
        }
    }

    /// Returns `name`, or a hash in its place if it is long.
    static func shortened(_ name: String) -> String {
        guard name.utf8.count > 1_024 else { return name }
        return "sha256/" + Base64URL.encode(Hash.digest(Array(name.utf8)))
    }
}
