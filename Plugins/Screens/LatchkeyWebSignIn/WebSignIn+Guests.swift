import Latchkey

/// What visitors may leave in the store who are not signed in.
extension WebSignIn {
    /// Notes the guest that sends something, before anything of it is stored. Others may have to make room.
    func enter(_ holder: Holder, _ request: WebRequest) async throws {
        guard case .guest(let id, let end, _) = holder.cookie else { return }
        let guest = GuestList.Guest(
            id: id, came: records.now, end: end, bytes: try await sizeInStore(id) ?? 0,
            place: ClientPlace.name(of: request.address, try await serverKey()))
        for gone in try await records.enter(guest, options.guests) { await hub.evict(gone) }
    }

    /// Whether a page can be drawn without a client of its own: the visitor has done nothing so far.
    func isBlank(_ holder: Holder) async throws -> Bool {
        guard case .guest(let id, let isNew) = holder.state else { return false }
        if isNew { return true }
        return try await !hub.isKnown(id)
    }
}
