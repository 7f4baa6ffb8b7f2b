import FoundationEssentials

/// One event and its fields, in order, to be written as a line of ``LogObserver``.
struct LogLine {
    enum Value {
        case text(String)
        case number(Int)
        case seconds(Duration)
        case truth(Bool)
        case none

        init(_ text: String?) { self = text.map(Value.text) ?? .none }
        init(_ number: Int?) { self = number.map(Value.number) ?? .none }
    }

    fileprivate static let longest = 256
    private let event: String
    private let fields: [(name: String, value: Value)]

    init(_ event: String, _ fields: [(name: String, value: Value)]) {
        self.event = event
        self.fields = fields
    }

    init(_ observation: AuthObservation) {
        switch observation {
        case .request(let method, let origin, let status, let took):
            self.init(
                "request",
                [
                    ("method", .text(method)), ("origin", .text(origin)), ("status", Value(status)),
                    ("seconds", .seconds(took)),
                ])
        case .retry(let method, let origin, let status, let wait):
            self.init(
                "retry",
                [
                    ("method", .text(method)), ("origin", .text(origin)), ("status", Value(status)),
                    ("wait", .seconds(wait)),
                ])
        case .refresh(let provider, let outcome, let took):
            self.init(
                "refresh",
                [("provider", .text(provider.name)), ("outcome", .text(outcome.rawValue)), ("seconds", .seconds(took))])
        case .store(let kind, let operation, let outcome, let took):
            self.init(
                "store",
                [
                    ("kind", .text(kind.rawValue)), ("operation", .text(operation.rawValue)),
                    ("outcome", .text(outcome.rawValue)), ("seconds", .seconds(took)),
                ])
        case .storeFailure(let kind, let operation, let code):
            self.init(
                "storeFailure",
                [
                    ("kind", .text(kind.rawValue)), ("operation", .text(operation.rawValue)),
                    ("reason", .text(code.name)),
                ])
        case .lockWait(let lock, let outcome, let took):
            self.init(
                "lockWait",
                [("lock", .text(lock.rawValue)), ("outcome", .text(outcome.rawValue)), ("seconds", .seconds(took))])
        case .refusal(let origin, let cause):
            self.init("refusal", [("class", .text(origin.name)), ("cause", .text(cause.rawValue))])
        case .signIn(let provider, let method, let failure, let took):
            self.init(
                "signIn",
                [
                    ("provider", .text(provider.name)), ("method", Value(method?.rawValue)),
                    ("failure", Value(failure?.name)), ("seconds", .seconds(took)),
                ])
        case .signInRequired(let provider, let reason):
            self.init("signInRequired", [("provider", .text(provider.name)), ("reason", .text(reason.rawValue))])
        case .reauthentication(let reason, let who, let after):
            self.init(
                "reauthentication",
                [("reason", .text(reason.rawValue)), ("by", .text(who.rawValue)), ("seconds", .seconds(after))])
        case .firstToken(let source, let took):
            self.init("firstToken", [("source", .text(source.rawValue)), ("seconds", .seconds(took))])
        case .signOut(let provider, let outcome):
            self.init("signOut", [("provider", .text(provider.name)), ("outcome", .text(outcome.rawValue))])
        case .gate(let locked):
            self.init("gate", [("locked", .truth(locked))])
        case .unlock(let choice, let kind, let failure, let took):
            self.init(
                "unlock",
                [
                    ("choice", .text(choice.rawValue)), ("kind", Value(kind?.rawValue)),
                    ("failure", Value(failure?.name)), ("seconds", .seconds(took)),
                ])
        case .pins(let host, let outcome, let seen):
            self.init(
                "pins",
                [("host", .text(host)), ("outcome", .text(outcome.rawValue)), ("seen", Value(seen?.base64))])
        case .integrity(let kind): self.init("integrity", [("finding", .text(kind.rawValue))])
        }
    }

    /// The line, without its line feed.
    func text(_ format: LogObserver.Format, at time: Date) -> String {
        let time = time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        var line: String
        switch format {
        case .lines:
            line = "\(time) \(event)"
            for (name, value) in fields { line += " \(name)=\(value.word)" }
        case .jsonLines:
            line = "{\"time\":\"\(time)\",\"event\":\"\(event)\""
            for (name, value) in fields { line += ",\"\(name)\":\(value.json)" }
            line += "}"
        }
        return line
    }
}

extension LogLine.Value {
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
