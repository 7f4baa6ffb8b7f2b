/// Finds the known word that a person probably meant.
enum Suggestion {
    /// Returns the one of `known` nearest to `word`; `nil` if none is near: more than a third of its letters would
    /// have to change, and it does not begin with `word`.
    static func nearest(to word: String, among known: [String]) -> String? {
        guard word.utf8.count <= 64 else { return nil }
        let typed = Array(word.lowercased().utf8)
        let ranked = known.map { (word: $0, distance: distance(typed, Array($0.utf8))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        if best.distance <= max(1, typed.count / 3) { return best.word }
        let begun = known.filter { typed.count >= 2 && $0.utf8.starts(with: typed) }
        return begun.count == 1 ? begun.first : nil
    }

    /// Returns how many letters must be changed, added, removed or swapped with their neighbour.
    static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var older: [Int] = []
        var old = Array(0...second.count)
        for row in 0..<first.count {
            var new = [row + 1]
            for column in 0..<second.count {
                let same = first[row] == second[column] ? 0 : 1
                var best = min(old[column] + same, old[column + 1] + 1, new[column] + 1)
                if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
                    best = min(best, older[column - 1] + 1)
                }
                new.append(best)
            }
            (older, old) = (old, new)
        }
        return old[second.count]
    }
}
