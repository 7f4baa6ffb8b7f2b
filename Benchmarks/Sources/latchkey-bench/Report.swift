import FoundationEssentials

/// One line of the table.
struct Row {
    var name: String
    var ours: String
    var reference: String?
    var ratio: Double?
    var limit: String
    var isWithin: Bool

    var text: String {
        let ratio = ratio.map { Self.decimal($0, 2) } ?? "-"
        return "\(name) ours=\(ours) reference=\(reference ?? "-") ratio=\(ratio) limit=\(limit) "
            + (isWithin ? "ok" : "OVER")
    }

    static func decimal(_ value: Double, _ places: Int) -> String {
        let power = (0..<places).reduce(1.0) { power, _ in power * 10 }
        let scaled = Int64((value * power).rounded())
        guard places > 0 else { return String(scaled) }
        let fraction = String(scaled % Int64(power))
        return "\(scaled / Int64(power))." + String(repeating: "0", count: places - fraction.count) + fraction
    }

    static func time(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<1_000: "\(decimal(nanoseconds, 1))ns"
        case ..<1_000_000: "\(decimal(nanoseconds / 1_000, 1))us"
        default: "\(decimal(nanoseconds / 1_000_000, 2))ms"
        }
    }
}

extension Row {
    /// Compares times. `limit` is the greatest allowed multiple of the reference's time; `nil` for no limit.
    init(_ name: String, _ times: Comparison, limit: Double?) {
        self.init(
            name: name, ours: Self.time(times.ours), reference: Self.time(times.reference), ratio: times.ratio,
            limit: limit.map { "\(Self.decimal($0, 2))x" } ?? "-", isWithin: limit.map { times.ratio <= $0 } ?? true)
    }

    /// Compares times, and allows no allocation at all.
    init(_ name: String, _ times: Comparison, limit: Double, allocations: Double) {
        self.init(name, times, limit: limit)
        ours += ",\(Self.decimal(allocations, 3))mallocs"
        self.limit += ",0mallocs"
        isWithin = isWithin && allocations == 0
    }
}

enum BenchError: Error {
    case failed(String)
    /// What a row is compared with is not there.
    case skipped(String)
}
