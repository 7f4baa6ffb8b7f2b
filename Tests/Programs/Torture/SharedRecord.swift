/// What is known of a record that everybody replaces: each writing named the one before it, so that they are a chain.
struct SharedRecord {
    /// Acknowledged, and not yet found in the chain.
    private(set) var acknowledged: Set<Identity> = []
    /// What each announced writing is to replace.
    private var previous: [Identity: Identity?] = [:]
    /// What was there at some time.
    private var passed: Set<Identity> = []
    private var current: Identity?

    mutating func begin(_ identity: Identity, over before: Identity?) { previous[identity] = .some(before) }

    /// Somebody else was first: it must never be seen.
    mutating func refuse(_ identity: Identity) { previous[identity] = nil }

    mutating func acknowledge(_ identity: Identity) {
        if !passed.contains(identity) { acknowledged.insert(identity) }
    }

    /// Walks from what was found back to what was there at the last look. `due` was acknowledged before this one.
    mutating func check(
        _ found: Identity?, due: Set<Identity>, _ findings: inout StoreArena.Findings, _ name: String
    ) {
        var path: [Identity] = []
        var place = found
        while place != current {
            guard let step = place else {
                findings.lost += found == nil ? 0 : 1
                findings.gone += found == nil ? 1 : 0
                findings.words.append("\(name): what was there at the last look was never replaced, and is gone")
                break
            }
            guard let before = previous[step] else {
                let isOld = passed.contains(step)
                findings.lost += isOld ? 1 : 0
                findings.torn += isOld ? 0 : 1
                findings.words.append("\(name): \(step) \(isOld ? "is back" : "was never to be there")")
                break
            }
            path.append(step)
            previous[step] = nil
            place = before
        }
        let missing = due.subtracting(path).subtracting(passed)
        findings.lost += missing.count
        if !missing.isEmpty { findings.words.append("\(name): acknowledged and gone: \(missing)") }
        findings.kept += path.count { !acknowledged.contains($0) }
        passed.formUnion(path)
        acknowledged.subtract(path)
        acknowledged.subtract(missing)
        current = found
    }
}
