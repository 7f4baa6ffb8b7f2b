/// What this process alone knows of marks.
struct MarkMemory: Sendable {
    /// When this process first saw a mark, for marks whose own time cannot be trusted.
    private var seen: [String: MonotonicInstant] = [:]
    /// The last marks of this process under which nothing was sent, each with the mark that it replaced.
    private var unsent: [(id: String, earlier: CredentialRecord.Mark?)] = []

    var isEmpty: Bool { seen.isEmpty && unsent.isEmpty }

    /// Notes that nothing was sent under the mark `id` so far.
    mutating func noteUnsent(_ id: String, inPlaceOf earlier: CredentialRecord.Mark?) { unsent.append((id, earlier)) }

    /// Notes that a request is sent under the mark `id`.
    mutating func noteSent(_ id: String) { unsent.removeAll { $0.id == id } }

    /// The record as this process knows it: one of its own marks under which nothing was sent
    /// counts as the mark that it replaced.
    mutating func known(_ found: RecordPlace.Found) -> RecordPlace.Found {
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
