import Latchkey

/// Knows what members wrote to a record until they were killed, and checks whether what is found fits.
///
/// Each write names the one that it replaced, so writes form a chain. From the value that is found,
/// the chain must lead back to the value of the last check, through writes that were acknowledged
/// or under way only, and without skipping an acknowledged one. Deletions have no name in a chain,
/// so ``alone`` is for one member at a time.
struct RecordHistory {
    /// Why the value that was found is impossible.
    enum Fault: Error {
        /// An acknowledged write is gone.
        case lost(String)
        /// The version belongs to another write too.
        case version(String)
    }

    /// Whether only one member writes at a time.
    let alone: Bool
    private var current: Writing?
    /// Writes that were announced since the last check and not refused, each with the one it replaces.
    private var announced: [Writing: Writing?] = [:]
    private var deletion: Writing?
    private var acknowledged: Set<Writing> = []
    /// The last state that a single member's acknowledged writes led to.
    private var last: Writing??
    private var versions: [String: Writing] = [:]

    init(alone: Bool) { self.alone = alone }

    mutating func hear(_ reports: [MemberReport]) throws {
        for report in reports {
            switch report {
            case .begins(let writing, let previous): announced[writing] = .some(previous)
            case .deletes(let writing): deletion = writing
            case .refused(let writing):
                announced[writing] = nil
                if deletion == writing { deletion = nil }
            case .done(let writing, let version, _):
                if deletion == writing {
                    (last, deletion) = (.some(nil), nil)
                } else {
                    acknowledged.insert(writing)
                    last = .some(writing)
                }
                if let version { try note(version, of: writing) }
            case .ready, .holds, .half, .counted, .failed: break
            }
        }
    }

    private mutating func note(_ version: String, of writing: Writing) throws {
        if let other = versions[version], other != writing {
            throw Fault.version("two writings of the record have one version")
        }
        versions[version] = writing
    }

    /// Checks what is there while nobody writes.
    mutating func look(_ found: (writing: Writing, version: String)?) throws {
        if let found { try note(found.version, of: found.writing) }
        try alone ? judgeAlone(found?.writing) : judgeChain(found?.writing)
        current = found?.writing
        (announced, acknowledged, deletion, last) = ([:], [], nil, nil)
    }

    private func judgeAlone(_ found: Writing?) throws {
        let due = last ?? current
        if found == due { return }
        let isUnderWay = found.map { announced[$0] != nil && !acknowledged.contains($0) } ?? (deletion != nil)
        guard isUnderWay else {
            throw Fault.lost(
                found == nil
                    ? "nothing is there any more" : "something is there that is neither the last one nor was under way")
        }
    }

    private func judgeChain(_ found: Writing?) throws {
        var passed: Set<Writing> = []
        var place = found
        while place != current {
            guard let step = place else { throw Fault.lost("nothing is there any more") }
            guard passed.insert(step).inserted, let before = announced[step] else {
                throw Fault.lost("something is there that was replaced or refused before")
            }
            place = before
        }
        let missing = acknowledged.subtracting(passed).count
        guard missing == 0 else { throw Fault.lost("\(missing) acknowledged writings were passed over") }
    }
}
