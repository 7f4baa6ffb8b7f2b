/// The key of a stored record.
public struct StoreKey: Hashable, Sendable {
    /// The kind of a record.
    @nonexhaustive
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// A credential's record: the credential, notes of requests under way, and pending revocations.
        case credential
        /// A challenge that is waiting for an answer.
        case challenge
        /// The client's settings, such as the current account.
        case settings
        /// What a provider remembers about this device between sign-ins: ``DeviceMemory``.
        case device
    }

    /// The kind of record.
    public var kind: Kind
    /// The record's name: up to 4,096 bytes of text without U+0000. Other names are refused with
    /// `configuration(.invalid)`.
    public var name: String

    /// Creates a key.
    public init(_ kind: Kind, _ name: String) {
        self.kind = kind
        self.name = name
    }
}

/// Identifies one state of one record. Versions can only be compared for equality. A store never
/// gives the same version to a key twice, not even after a deletion or a restart.
public struct RecordVersion: Hashable, Sendable {
    /// The store's own bytes for the version.
    public let bytes: [UInt8]

    /// Wraps bytes that the store chose.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// A record as it is stored under a key. Its bytes are secret and are never printed.
public struct StoredRecord: Sendable, CustomStringConvertible, CustomReflectable {
    /// The content.
    public var bytes: [UInt8]
    /// The record's version.
    public var version: RecordVersion

    /// Creates a record.
    public init(bytes: [UInt8], version: RecordVersion) {
        self.bytes = bytes
        self.version = version
    }

    /// The size.
    public var description: String { "record of \(bytes.count) bytes" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Keeps bytes under keys, at rest. It never interprets them.
///
/// | Case | Required behaviour |
/// | --- | --- |
/// | Reading an absent key | returns `nil` |
/// | Locked, damaged, unreachable | throws ``AuthError``, each its own code; never `nil` |
/// | `replace` at the current version | new state, whole or not at all, durable on return |
/// | `replace` at another version, or at `nil` if the key exists | throws ``StoreConflict``, changes nothing |
/// | The answer to a `replace` is lost, so that it may have taken effect | throws `store(.unknownOutcome)`, never ``StoreConflict``: the caller reads again |
/// | `replace` with `nil` bytes | deletes; deleting an absent key (at `nil`) succeeds |
/// | Versions | unique per key forever, including deletions and restarts |
/// | Other keys | never touched |
///
/// There is no unconditional write. `replace` takes the store's own short commit lock, never the
/// lock from ``CrossProcessStore/lock(_:deadline:)``. Stores wrap one another as generic types, so
/// that a wrapper keeps the abilities of the inner store.
public protocol SessionStore: Sendable {
    /// Returns the record under `key`, or `nil` if there is none.
    func read(_ key: StoreKey) async throws -> StoredRecord?

    /// Writes `bytes` under `key` if the record's version is still `version` (compare-and-swap).
    ///
    /// - Parameters:
    ///   - key: The record's key.
    ///   - version: The version that was read; `nil` means that the key must be absent.
    ///   - bytes: The new content; `nil` deletes the record.
    /// - Returns: The new version; `nil` after a deletion.
    /// - Throws: ``StoreConflict``, or ``AuthError`` with a `store` code. All but `store(.unknownOutcome)` mean that nothing has
    ///   changed; a store that cannot tell throws that one.
    @discardableResult
    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws -> RecordVersion?

    /// Returns every key of `kind` in the store.
    func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey]

    /// Returns the records under several keys, each as ``read(_:)`` would return it. A key that is absent is missing in the
    /// answer. A store without a member of its own reads one after the other.
    ///
    /// - Returns: The records. One that cannot be read while others can, such as a damaged one, is the error that
    ///   ``read(_:)`` throws of it.
    /// - Throws: What keeps every record from being read: `locked`, `store(.unavailable)`.
    func records(_ keys: [StoreKey]) async throws -> [StoreKey: Result<StoredRecord, AuthError>]

    /// Returns a part of the keys of `kind`, for stores with very many of them. A key that is there from the first page to
    /// the last is in one of them at least; one that comes or goes meanwhile may be. A store without a member of its
    /// own lists every key for each page.
    ///
    /// - Parameters:
    ///   - kind: The kind of the keys.
    ///   - prefix: What the names begin with, by their bytes: no letter of it stands for another.
    ///   - cursor: The ``KeyPage/next`` of the page before; `nil` begins.
    ///   - count: How many keys there should be. A store may return more of them, or fewer.
    /// - Throws: As ``keys(_:)``, and `configuration(.invalid)` for a cursor of another store.
    func page(
        of kind: StoreKey.Kind, startingWith prefix: String, from cursor: KeyCursor?, atMost count: Int
    ) async throws -> KeyPage

    /// Says what keeps the records, and what `replace` promises there; asks a server each time. A store that is closed
    /// may answer, too.
    ///
    /// - Throws: Why the store cannot be used: `store(.unavailable)`.
    func health() async throws -> StoreHealth
}

/// Another writer changed the record first.
public struct StoreConflict: Error, Hashable, Sendable {
    /// The current version, if the store knows it; `nil` means absent or unknown.
    public var found: RecordVersion?

    /// Creates a conflict.
    public init(found: RecordVersion? = nil) { self.found = found }
}

extension Error {
    /// Whether reading the record again tells what a commit that threw this came to: another writer was first, or the
    /// answer is lost.
    package var isSettledByReading: Bool {
        self is StoreConflict || (self as? AuthError)?.code == .store(.unknownOutcome)
    }
}

/// A store that can lock a key across processes.
///
/// A lock has one holder at a time. The kernel or the server frees it when its holder dies. A store behind a network may
/// lose a lock that is held, as when a lease ends or a connection breaks: then ``HeldLock/isHeld`` says so, and another
/// caller may get it. What keeps the record whole all the same is its version: a commit at one that another holder has
/// replaced conflicts.
public protocol CrossProcessStore: SessionStore {
    /// Takes the lock of `key`.
    ///
    /// - Parameters:
    ///   - key: The key to lock.
    ///   - deadline: How long to wait for the lock.
    /// - Throws: ``AuthError`` `busy` after the deadline; its message names the holder if known.
    func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock
}

/// A lock that is held. It is released by `release`, or when the process ends.
public protocol HeldLock: Sendable {
    /// Whether it is surely still held. A store that may lose it says `false` no later than another caller can get it:
    /// it counts from before it asked for the lock, and stops early. Asks nothing of the store, and does not wait. Without
    /// a member of its own, a lock counts as held until it is released.
    var isHeld: Bool { get }

    /// Releases the lock. Calling it again does nothing.
    func release() async
}

extension HeldLock {
    /// `true`: a lock that the kernel or this process keeps is not lost.
    public var isHeld: Bool { true }
}

/// A store that reports changes made by other clients and processes.
///
/// | Case | Required behaviour |
/// | --- | --- |
/// | After `changes()` returned, a key is made, replaced or deleted anywhere | the stream yields it within a second |
/// | It changes again before the reader has read it | once is enough, if a read after that sees the last state |
/// | Reads, locks, commits that lost | nothing |
/// | The store loses track of changes, or too many are waiting | the stream ends; its reader listens again, and reads everything |
/// | It cannot be reached any more, or has been silent for a few seconds | the stream ends |
/// | `changes()` while it cannot be reached, or cannot be listened to now | throws `store(.unavailable)` or another code: the caller tries again |
/// | This store never tells of changes, here | throws `configuration(.unsupported)`: nobody asks again |
/// | The reader's task is cancelled, or the stream is released | the stream ends, and so does what fed it |
///
/// ``ChangeFeed`` is a queue for any number of readers that keeps these promises.
public protocol WatchableStore: SessionStore {
    /// Returns a stream, for one reader, of the keys that change from now on. Call it again for another reader.
    ///
    /// It may wait until the store has begun to tell, as for a server's answer, and blocks no thread meanwhile. The
    /// stream may include your own changes, and keys that did not change. It is bounded: a slow reader may miss
    /// repeats of a key, but never the last change.
    ///
    /// - Throws: ``AuthError`` as the table says; `configuration(.unsupported)` for good.
    func changes() async throws -> AsyncStream<StoreKey>
}

/// A store that can list its keys beside a record that is damaged. Then damage to one account does not
/// hide the others.
///
/// | Case | Required behaviour |
/// | --- | --- |
/// | Nothing is damaged | the same keys as ``SessionStore/keys(_:)`` |
/// | ``SessionStore/keys(_:)`` throws `store(.damaged)` | every key that can be read, and no other |
/// | Anything else fails | throws, as ``SessionStore/keys(_:)`` does |
public protocol DamageTolerantStore: SessionStore {
    /// Returns every key of `kind` that can be read. One of a damaged record may be among them.
    func readableKeys(_ kind: StoreKey.Kind) async throws -> [StoreKey]
}

/// A store that is opened with a key and can be closed. It begins closed.
///
/// | Case | Required behaviour |
/// | --- | --- |
/// | Closed | every call but `open` and `close` throws ``AuthError`` `locked`, including `lock` |
/// | `open` with a wrong key | throws `refused(.wrongInput)`; nothing changes |
/// | `open` with another failure | throws a `store` code, never `refused`: the key may be right |
/// | `close` | what the key protects is dropped from memory before it returns |
public protocol LockableStore: SessionStore {
    /// Opens the store.
    func open(with key: UnlockKey) async throws

    /// Closes the store. Until it is opened again, every other call throws ``AuthError`` `locked`.
    func close() async
}

/// A store that can be emptied without its key, for people who have lost it.
public protocol ErasableStore: LockableStore {
    /// Removes everything, including the keys, so that nothing in the store can be read again.
    /// Afterwards the store is closed and as new.
    func erase() async throws
}
