public import Latchkey
import LatchkeySystem

/// Wraps a store and fails as a script says. Without a script it behaves like the wrapped store.
public final class FaultyStore<Inner: CrossProcessStore>: CrossProcessStore {
    /// What happens to a commit.
    public enum Fault: Sendable {
        /// The commit works.
        case none
        /// The commit fails and changes nothing.
        case refused(AuthError)
        /// The commit takes effect, but is reported as a failure.
        case doneButFailed(AuthError)
        /// Something happens before the commit: another process changes the record, a person signs out.
        case after(@Sendable () async throws -> Void)
        /// The commit takes effect, and something happens before the caller learns of it.
        case before(@Sendable () async throws -> Void)
    }

    private struct State {
        var replaces: [Fault] = []
        var reads: [AuthError?] = []
        var afterRead: (@Sendable () async throws -> Void)?
        var standing: AuthError?
        var listing: AuthError?
        var commits = 0
    }

    /// The wrapped store.
    public let inner: Inner
    private let state = Locked(State())

    /// Wraps `inner`, with an empty script.
    public init(_ inner: Inner) { self.inner = inner }

    /// Adds the outcomes of the next commits of credentials, in order.
    public func script(replaces: Fault...) { state.withLock { $0.replaces += replaces } }

    /// Adds the outcomes of the next reads of credentials, in order; `nil` reads normally.
    public func script(reads: AuthError?...) { state.withLock { $0.reads += reads } }

    /// Makes something happen once, after the next read of a credential and before the reader learns of it.
    public func script(afterRead then: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.afterRead = then }
    }

    /// Makes every commit of credentials fail from now on; `nil` ends that.
    public func failCommits(_ error: AuthError?) { state.withLock { $0.standing = error } }

    /// Makes listing credentials fail from now on; `nil` ends that.
    public func failKeys(_ error: AuthError?) { state.withLock { $0.listing = error } }

    /// The number of attempted commits of credentials.
    public var commitCount: Int { state.withLock { $0.commits } }

    /// Reads, unless the script says otherwise.
    public func read(_ key: StoreKey) async throws -> StoredRecord? {
        let failure = state.withLock { state -> AuthError? in
            guard key.kind == .credential, !state.reads.isEmpty else { return nil }
            return state.reads.removeFirst()
        }
        if let failure { throw failure }
        let record = try await inner.read(key)
        if key.kind == .credential {
            let then = state.withLock { state in
                defer { state.afterRead = nil }
                return state.afterRead
            }
            try await then?()
        }
        return record
    }

    /// Commits, unless the script says otherwise.
    @discardableResult
    public func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws
        -> RecordVersion?
    {
        guard key.kind == .credential else { return try await inner.replace(key, at: version, with: bytes) }
        let fault = state.withLock { state -> Fault in
            state.commits += 1
            if let standing = state.standing { return .refused(standing) }
            return state.replaces.isEmpty ? .none : state.replaces.removeFirst()
        }
        switch fault {
        case .none: return try await inner.replace(key, at: version, with: bytes)
        case .refused(let error): throw error
        case .doneButFailed(let error):
            try await inner.replace(key, at: version, with: bytes)
            throw error
        case .after(let first):
            try await first()
            return try await inner.replace(key, at: version, with: bytes)
        case .before(let then):
            let version = try await inner.replace(key, at: version, with: bytes)
            try await then()
            return version
        }
    }

    /// Lists the keys, unless ``failKeys(_:)`` makes it fail.
    public func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] {
        if kind == .credential, let error = state.withLock({ $0.listing }) { throw error }
        return try await inner.keys(kind)
    }

    /// Takes the wrapped store's lock.
    public func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        try await inner.lock(key, deadline: deadline)
    }
}
