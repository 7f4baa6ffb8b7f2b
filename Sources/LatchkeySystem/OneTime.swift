public import CFlag

/// Something that happens once: after that, asking costs one load.
// Sendable, proof: `flag` is read and set by atomic operations alone, and its address is stable because it is allocated
// once.
@usableFromInline package final class OneTime: @unchecked Sendable {
    @usableFromInline let flag: UnsafeMutablePointer<Bool>

    package init() {
        flag = .allocate(capacity: 1)
        flag.initialize(to: false)
    }

    deinit { flag.deallocate() }

    /// Whether it has happened. A thread may learn of it a moment later than another.
    @inlinable @inline(__always)
    package var hasHappened: Bool { latchkey_flag_is_set(flag) }

    /// Has it happen. Returns `false` if it has happened before.
    @inlinable
    package func happen() -> Bool { !latchkey_flag_set(flag) }
}
