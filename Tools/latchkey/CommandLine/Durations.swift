/// Durations as people write them: `500ms`, `90s`, `5m`, `1h30m`, `2d`.
enum Durations {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]
    /// The longest accepted duration: ten years.
    static let longest = Duration.seconds(3_650 * 86_400)

    /// Parses a duration: whole numbers with units, larger units first, each once. Returns `nil` for anything else,
    /// including a number without a unit: if a script forgot the unit, it would otherwise be wrong by a factor of
    /// 60.
    static func parse(_ text: String) -> Duration? {
        var rest = Substring(text)
        var total: Int64 = 0
        var next = 0
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix { ("0"..."9").contains($0) }
            rest = rest.dropFirst(digits.count)
            let letters = rest.prefix { ("a"..."z").contains($0) }
            rest = rest.dropFirst(letters.count)
            guard let count = Int64(digits),
                let unit = units.indices.first(where: { $0 >= next && units[$0].name == letters })
            else { return nil }
            next = unit + 1
            let (product, overflow) = count.multipliedReportingOverflow(by: units[unit].milliseconds)
            let (sum, carry) = total.addingReportingOverflow(product)
            guard !overflow, !carry, sum <= longest.components.seconds * 1_000 else { return nil }
            total = sum
        }
        return .milliseconds(total)
    }

    /// Returns the duration as ``parse(_:)`` reads it, in milliseconds or in whole seconds.
    static func exact(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        return milliseconds == 0 ? "\(seconds)s" : "\(seconds * 1_000 + milliseconds)ms"
    }

    /// Returns the duration in its two largest units: `1h 5m`, `42s`. For people, not for parsing.
    static func describe(_ duration: Duration) -> String {
        var rest = max(0, duration.components.seconds) * 1_000
        var parts: [String] = []
        for unit in units.dropLast() where parts.count < 2 {
            let count = rest / unit.milliseconds
            rest %= unit.milliseconds
            if count > 0 { parts.append("\(count)\(unit.name)") } else if !parts.isEmpty { break }
        }
        return parts.isEmpty ? "0s" : parts.joined(separator: " ")
    }
}
