/// A strict reader of the Prometheus text format 0.0.4, written from its description alone.
struct PrometheusDocument {
    struct Sample: Hashable {
        var name: String
        var labels: [String: String]
        var value: Double
    }

    struct Broken: Error, CustomStringConvertible {
        var description: String
    }

    private(set) var types: [String: String] = [:]
    private(set) var samples: [Sample] = []

    init(_ text: String) throws {
        guard text.isEmpty || text.hasSuffix("\n") else { throw Broken(description: "the last line has no end") }
        var helped: Set<String> = []
        var current = ""
        var seen: Set<String> = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) {
            if line.hasPrefix("# ") {
                let parts = line.split(separator: " ", maxSplits: 3).map(String.init)
                guard parts.count == 4, Self.isName(parts[2]) else { throw Broken(description: line) }
                switch parts[1] {
                case "HELP":
                    guard helped.insert(parts[2]).inserted else { throw Broken(description: "second \(line)") }
                case "TYPE":
                    guard helped.contains(parts[2]), types[parts[2]] == nil,
                        ["counter", "gauge", "histogram"].contains(parts[3])
                    else { throw Broken(description: line) }
                    types[parts[2]] = parts[3]
                    current = parts[2]
                default: throw Broken(description: line)
                }
                continue
            }
            let sample = try Self.sample(line)
            let suffixes = types[current] == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
            guard suffixes.contains(where: { current + $0 == sample.name }) else {
                throw Broken(description: "\(sample.name) stands below \(current)")
            }
            guard seen.insert("\(sample.name)\(sample.labels.sorted { $0.key < $1.key })").inserted else {
                throw Broken(description: "twice: \(line)")
            }
            samples.append(sample)
        }
        for (name, type) in types {
            guard type == "histogram" || samples.contains(where: { $0.name == name }) else {
                throw Broken(description: "\(name) has no sample")
            }
            guard type != "counter" || name.hasSuffix("_total") else { throw Broken(description: "\(name): no _total") }
            if type == "histogram" { try check(histogram: name) }
        }
    }

    /// The value of the one sample of that name whose labels are these.
    func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        samples.first { $0.name == name && $0.labels == labels }?.value
    }

    private func check(histogram name: String) throws {
        let counts = samples.filter { $0.name == "\(name)_count" }
        guard !counts.isEmpty else { throw Broken(description: "\(name) has no _count") }
        for count in counts {
            let buckets = samples.filter { sample in
                var labels = sample.labels
                labels["le"] = nil
                return sample.name == "\(name)_bucket" && labels == count.labels
            }
            let bounds = buckets.compactMap { $0.labels["le"].map { $0 == "+Inf" ? .infinity : Double($0) ?? .nan } }
            guard bounds.count == buckets.count, bounds.last == .infinity, bounds == bounds.sorted(),
                Set(bounds).count == bounds.count, buckets.map(\.value) == buckets.map(\.value).sorted(),
                buckets.last?.value == count.value, value("\(name)_sum", count.labels) != nil
            else { throw Broken(description: "the histogram \(name) does not add up") }
        }
    }

    private static func isName(_ text: String) -> Bool {
        text.first?.isNumber == false && text.allSatisfy { ($0.isLetter || $0.isNumber || $0 == "_") && $0.isASCII }
    }

    private static func sample(_ line: String) throws -> Sample {
        var rest = Substring(line)
        let name = String(rest.prefix { $0 != "{" && $0 != " " })
        guard isName(name) else { throw Broken(description: line) }
        rest = rest.dropFirst(name.count)
        var labels: [String: String] = [:]
        if rest.first == "{" {
            rest = rest.dropFirst()
            while true {
                let label = String(rest.prefix { $0 != "=" })
                rest = rest.dropFirst(label.count)
                guard isName(label), rest.hasPrefix("=\"") else { throw Broken(description: line) }
                rest = rest.dropFirst(2)
                guard let value = take(&rest), labels.updateValue(value, forKey: label) == nil else {
                    throw Broken(description: line)
                }
                let next = rest.popFirst()
                if next == "}" { break }
                guard next == "," else { throw Broken(description: line) }
            }
        }
        guard rest.popFirst() == " ", !rest.contains(" "), let value = Double(rest), value.isFinite, value >= 0 else {
            throw Broken(description: line)
        }
        return Sample(name: name, labels: labels, value: value)
    }

    /// A label's value up to its closing quote, which is taken too.
    private static func take(_ rest: inout Substring) -> String? {
        var value = String.UnicodeScalarView()
        var scalars = rest.unicodeScalars[...]
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "\"":
                rest = Substring(scalars)
                return String(value)
            case "\\":
                switch scalars.popFirst() {
                case "\\": value.append("\\")
                case "\"": value.append("\"")
                case "n": value.append("\n")
                default: return nil
                }
            default: value.append(scalar)
            }
        }
        return nil
    }
}
