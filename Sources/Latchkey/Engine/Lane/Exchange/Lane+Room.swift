/// Step 4: room for the answer, which may be the only one, is set aside before anything is sent.
extension Lane {
    /// Sets room aside, if a request may leave that spends something, and the store can set any aside.
    ///
    /// - Parameter known: The record, if it was just read.
    /// - Returns: The record, if it was read.
    /// - Throws: `store(.full)` where there is no room: then nothing may be sent.
    func setRoomAside(for request: LaneRequest, from known: Found?) async throws(AuthError) -> Found? {
        guard room == nil, place.store is any ReservingStore else { return known }
        let present = if let known { known } else { try? await read() }
        guard let found = present, case .go(let ready) = judge(request, marks.known(found)), ready.replay != .fixed
        else { return present }
        room = try await place.reserve(for: found.record)
        return found
    }

    /// Gives back what the answer did not need.
    func giveRoomBack() async {
        guard let room else { return }
        self.room = nil
        await room.release()
    }
}
