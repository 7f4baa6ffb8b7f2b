import FoundationEssentials
import Latchkey

/// One event and its fields, in order, to be written as a line of ``LogObserver``.
struct LogLine {
    fileprivate static let longest = 256
    private let event: String
    private let fields: [(name: String, value: AuthObservation.FieldValue)]

    init(_ event: String, _ fields: [(name: String, value: AuthObservation.FieldValue)]) {
        self.event = event
        self.fields = fields
    }

    init(_ observation: AuthObservation) { self.init(observation.name, observation.fields.map { ($0.name, $0.value) }) }

    /// The line, without its line feed.
    func text(_ format: LogObserver.Format, at time: Date) -> String {
        let time = time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        var line: String
        switch format {
        case .lines:
            line = "\(time) \(event)"
            for field in fields { line += " \(field.name)=\(field.value.word)" }
        case .jsonLines:
            line = "{\"time\":\"\(time)\",\"event\":\"\(event)\""
            for field in fields { line += ",\"\(field.name)\":\(field.value.json)" }
            line += "}"
        }
        return line
    }
}

extension AuthObservation.FieldValue {
    fileprivate var word: String {
        switch self {
        case .text(let text): text.isPlain ? text : text.quoted
        case .none: "-"
        default: json
        }
    }

    fileprivate var json: String {
        switch self {
        case .text(let text): text.quoted
        case .number(let number): String(number)
        case .seconds(let duration): duration.decimalSeconds
        case .truth(let truth): String(truth)
        case .none: "null"
        }
    }
}

extension String {
    /// Whether the value can be written unquoted. A lone hyphen means that there is no value.
    fileprivate var isPlain: Bool {
        !isEmpty && self != "-" && utf8.count <= LogLine.longest
            && utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"\\=".utf8.contains($0) }
    }

    /// A JSON string of printable ASCII, cut after 256 bytes.
    fileprivate var quoted: String {
        var result = "\""
        var room = LogLine.longest
        for scalar in unicodeScalars {
            room -= UTF8.width(scalar)
            guard room >= 0 else {
                result += "..."
                break
            }
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case " "..."~": result.unicodeScalars.append(scalar)
            default: for unit in String(scalar).utf16 { result += "\\u" + unit.fourDigits }
            }
        }
        return result + "\""
    }
}

extension UInt16 {
    fileprivate var fourDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }
}

extension Duration {
    /// Seconds with six decimals; negative durations count as zero.
    var decimalSeconds: String {
        let (seconds, attoseconds) = max(self, .zero).components
        let micros = String(attoseconds / 1_000_000_000_000)
        return "\(seconds).\(String(repeating: "0", count: 6 - micros.utf8.count))\(micros)"
    }
}
