/// A store that can set room aside, so that what is sent for the last time can be stored though the disk fills meanwhile.
///
/// The engine reserves room before a request that spends a refresh token leaves. A store whose writes cannot fail for
/// want of space need not have this.
public protocol ReservingStore: SessionStore {
    /// Sets room aside for one change of the record of `key`, in place of what was set aside for it before. The caller
    /// holds the lock of `key` (``CrossProcessStore/lock(_:deadline:)``).
    ///
    /// - Parameters:
    ///   - key: The record's key.
    ///   - bytes: The most bytes that the record will have.
    /// - Returns: The room; `nil` where the disk cannot set any aside.
    /// - Throws: ``AuthError`` `store(.full)` where there is none; others as of `replace`.
    func reserve(_ key: StoreKey, bytes: Int) async throws -> (any StoreReservation)?
}

/// Room that is set aside for one change of one record.
public protocol StoreReservation: Sendable {
    /// Does what ``SessionStore/replace(_:at:with:)`` does, in the room that was set aside, which is used up then.
    ///
    /// - Throws: Also ``AuthError`` `store(.full)`, if `bytes` are more than were reserved.
    func replace(at version: RecordVersion?, with bytes: [UInt8]) async throws -> RecordVersion?

    /// Gives the room back, if it was not used.
    func release() async
}
