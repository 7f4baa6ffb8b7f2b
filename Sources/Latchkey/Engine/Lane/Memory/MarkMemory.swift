/// What this process alone knows of marks.
struct MarkMemory: Sendable {
    /// When this process first saw a mark, for marks whose own time cannot be trusted.
    private var seen: [String: MonotonicInstant] = [:]
    /// The last marks of this process under which nothing was sent, each with the mark that it replaced.
    private var unsent: [(id: String, earlier: CredentialRecord.Mark?)] = []

    /// When this process first saw that the sender of a mark has ended.
    private var ended: [String: MonotonicInstant] = [:]
    /// The last marks of this process whose requests were given up, whether the store has that or not.
    private var left: [(id: String, left: CredentialRecord.Left)] = []

    var isEmpty: Bool { seen.isEmpty && unsent.isEmpty && ended.isEmpty && left.isEmpty }

    /// Notes that nothing was sent under the mark `id` so far.
    mutating func noteUnsent(_ id: String, inPlaceOf earlier: CredentialRecord.Mark?) { unsent.append((id, earlier)) }

    /// Notes that a request is sent under the mark `id`.
    mutating func noteSent(_ id: String) { unsent.removeAll { $0.id == id } }

    /// The record as this process knows it: one of its own marks under which nothing was sent
    /// counts as the mark that it replaced.
    mutating func known(_ found: RecordPlace.Found) -> RecordPlace.Found {
        forget(allBut: found.record)
        guard !unsent.isEmpty else { return found }
        guard let mark = found.record.mark, let unsent = unsent.last(where: { $0.id == mark.id }) else {
            // A mark that was replaced or taken out does not come back.
            self.unsent = []
            return found
        }
        self.unsent = [unsent]
        var known = found
        known.record.live?.mark = unsent.earlier
        return known
    }

    /// Notes that the request of the mark `id` was given up.
    mutating func noteLeft(_ id: String, _ leaving: CredentialRecord.Left) {
        left.removeAll { $0.id == id }
        left = left.suffix(7) + [(id, leaving)]
    }

    /// Since when the sender of the marked request no longer waits for an answer, and how long it had waited at least: it
    /// has given the request up, or has ended. `nil` if it may still wait.
    mutating func left(
        _ mark: CredentialRecord.Mark, by clock: any AuthClock, _ processes: any ProcessLooking
    ) -> (since: MonotonicInstant, waited: Duration)? {
        let now = clock.now()
        if let left = left.last(where: { $0.id == mark.id })?.left ?? mark.left, left.since.boot == clock.boot,
            left.since.at <= now
        {
            return (left.since.at, left.waited)
        }
        // A number of another boot may be anybody's.
        guard let holder = mark.holder, mark.sent.boot == clock.boot, mark.sent.at <= now,
            ended[mark.id] != nil || processes.state(of: holder) == .ended
        else { return nil }
        // Counted from now: it may have sent at its very end.
        if ended.count > 64 { ended = [:] }
        let first = ended[mark.id] ?? now
        ended[mark.id] = first
        return (first, .zero)
    }

    /// Forgets who left marks that are gone.
    private mutating func forget(allBut record: CredentialRecord) {
        guard !left.isEmpty || !ended.isEmpty else { return }
        let open = Set(([record.mark] + record.pending.map(\.mark)).compactMap { $0?.id })
        left.removeAll { !open.contains($0.id) }
        for id in ended.keys where !open.contains(id) { ended[id] = nil }
    }

    /// When a marked request can no longer arrive. A mark of another boot, or of the future, is counted from when this
    /// process first saw it.
    mutating func end(of mark: CredentialRecord.Mark, by clock: any AuthClock) -> MonotonicInstant {
        let deadline = min(max(mark.deadline, .zero), .seconds(120))
        let now = clock.now()
        if mark.sent.boot == clock.boot, mark.sent.at <= now { return mark.sent.at + deadline }
        // A renewed mark counts as another one.
        let name = "\(mark.id) \(mark.sent.at.nanoseconds)"
        let first = seen[name] ?? now
        if seen.count > 64 { seen = [:] }
        seen[name] = first
        return first + deadline
    }
}
