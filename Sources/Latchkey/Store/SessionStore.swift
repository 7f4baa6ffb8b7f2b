/// What a record is stored under.
public struct StoreKey: Hashable, Sendable {
    /// What a record is.
    @nonexhaustive
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// A credential's record: the credential, its journal, revocations owed.
        case credential
        /// A challenge that waits for an answer.
        case challenge
        /// Choices of the client, such as the current account.
        case settings
        /// What a provider remembers of this device between sign-ins: ``DeviceMemory``.
        case device
    }

    /// What it is.
    public var kind: Kind
    /// Which one: up to 4,096 bytes of any text without U+0000; others are refused with `configuration(.invalid)`.
    public var name: String

    /// A key of its parts.
    public init(_ kind: Kind, _ name: String) {
        self.kind = kind
        self.name = name
    }
}

/// Names one state of one record. Equal or not, nothing else. Never given twice for a key, not even after a deletion
/// or a restart.
public struct RecordVersion: Hashable, Sendable {
    /// What the store knows it by.
    public let bytes: [UInt8]

    /// Wraps bytes of the store's choice.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// What is stored under a key. Its bytes are secret and never print.
public struct StoredRecord: Sendable, CustomStringConvertible, CustomReflectable {
    /// The content.
    public var bytes: [UInt8]
    /// Which state this is.
    public var version: RecordVersion

    /// A record of its parts.
    public init(bytes: [UInt8], version: RecordVersion) {
        self.bytes = bytes
        self.version = version
    }

    /// The size.
    public var description: String { "record of \(bytes.count) bytes" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Keeps bytes under a key, at rest. Never looks inside.
///
/// | Case | Required behaviour |
/// | --- | --- |
/// | Reading an absent key | returns `nil` |
/// | Locked, damaged, unreachable | throws ``AuthError``, each its own code; never `nil` |
/// | `replace` at the current version | new state, whole or not at all, durable on return |
/// | `replace` at another version, or at `nil` where something is | throws ``StoreConflict``, changes nothing |
/// | `replace` with `nil` bytes | deletes; deleting what is absent (at `nil`) succeeds |
/// | Versions | unique per key for ever, deletions and restarts included |
/// | Other keys | never touched |
///
/// There is no unconditional write. `replace` takes the store's own short commit lock, never the lane.
/// Stores wrap one another generically, so that a wrapper keeps what the inner store can do.
public protocol SessionStore: Sendable {
    /// What is under `key`, or `nil` when nothing is.
    func read(_ key: StoreKey) async throws -> StoredRecord?

    /// Compare-and-swap: puts `bytes` under `key` when its version is `version`.
    ///
    /// - Parameters:
    ///   - key: What the record is under.
    ///   - version: The version that was read; `nil`: the key must be absent.
    ///   - bytes: The new content; `nil`: delete.
    /// - Returns: The new version; `nil` after a deletion.
    /// - Throws: ``StoreConflict``, or ``AuthError`` with a `store` code.
    @discardableResult
    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws -> RecordVersion?

    /// Every key of `kind` that is there.
    func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey]
}

/// Somebody else changed the record first.
public struct StoreConflict: Error, Hashable, Sendable {
    /// What the version is now, where the store can say; `nil`: absent or unknown.
    public var found: RecordVersion?

    /// A conflict with what was found.
    public init(found: RecordVersion? = nil) { self.found = found }
}

/// A store whose lane reaches other processes.
///
/// One holder at a time. The kernel or the server frees a lane when its holder dies.
public protocol CrossProcessStore: SessionStore {
    /// Takes the lane of `key`.
    ///
    /// - Parameters:
    ///   - key: Whose lane.
    ///   - deadline: How long to wait for it.
    /// - Throws: ``AuthError`` `busy` after the deadline, its message naming the holder where known.
    func lane(_ key: StoreKey, deadline: Duration) async throws -> any LaneHold
}

/// A lane that is held. It ends with `release`, or with the process.
public protocol LaneHold: Sendable {
    /// Lets go. Calling it again does nothing.
    func release() async
}

/// A store that tells about changes made by others, without being asked.
///
/// | Case | Required behaviour |
/// | --- | --- |
/// | A key is made, replaced or deleted after `changes()` returned, here or elsewhere | the stream gives it within a second |
/// | It changes again before the reader came | once is enough; what is read after the last one is the last state |
/// | Reads, lanes, commits that lost | nothing |
/// | The store cannot tell where it is, or more than it can keep is waiting | the stream ends |
/// | The reader's task is cancelled, or the stream is let go | the stream ends, and what fed it |
public protocol WatchableStore: SessionStore {
    /// The keys that change, from now on, for one reader; call it again for another. Own changes may be among them,
    /// and so may keys that did not change. Bounded: a slow reader may miss repeats of a key, never the last.
    func changes() -> AsyncStream<StoreKey>
}

/// A store that can be closed, and opened by a key. It begins closed.
///
/// | Case | Required behaviour |
/// | --- | --- |
/// | Closed | every call but `open` and `close` throws ``AuthError`` `locked`; lanes too |
/// | `open` with a key that opens nothing | throws `refused(.wrongInput)`; it stays as it was |
/// | `open` with another failure | throws a `store` code, never `refused`: the key may be right |
/// | `close` | what the key protects is dropped from memory before it returns |
public protocol LockableStore: SessionStore {
    /// Opens it.
    func open(with key: UnlockKey) async throws

    /// Closes it; until it is opened again, everything throws ``AuthError`` `locked`.
    func close() async
}

/// A store that can be emptied without its key, for whoever has lost it.
public protocol ErasableStore: LockableStore {
    /// Removes everything, the keys included: nothing that was in it can be read again, by nobody. It is closed afterwards,
    /// and as new.
    func erase() async throws
}
