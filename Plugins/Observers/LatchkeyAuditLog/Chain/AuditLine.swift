import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyJSON

/// One line of the file: a JSON object whose last member is the code of everything before it.
///
/// | Member | Meaning |
/// | --- | --- |
/// | `n` | the line's number, one more than that of the line before |
/// | `kind` | see ``AuditEntry/Kind`` |
/// | `prev` | the code of the line before, which is what chains them |
/// | `at`, `up`, `boot` | see ``LogTime`` |
/// | `time` | the wall clock, for people |
/// | `format`, `why`, `continues`, `faults` | of `start`: the version; `new`, `aged`, `erased` or `lost`; the code that the next line chains on; how many findings went with the lines that are gone |
/// | `from` | of `erased`: the first number that it stands for |
/// | `count` | of `dropped`, `erased` and `broken` |
/// | `mac` | HMAC-SHA256 of the bytes before it and a closing brace, under a key of the installation, cut to 128 bits |
struct AuditLine {
    static let format: Int64 = 1
    /// What a number in a line may be, so that nothing that is computed from it can overflow.
    static let numbers: ClosedRange<Int64> = 0...(1 << 53)
    /// What the first line of a log chains on.
    static let nothing = String(repeating: "0", count: AuditKeys.codeLength)
    private static let label = Array(",\"mac\":\"".utf8)
    private static let ending = Array("\"}".utf8)

    private(set) var members: [String: JSON]
    let kind: AuditEntry.Kind
    let number: Int64
    let previous: String
    let time: Date?
    let moment: LogTime
    let code: String

    subscript(name: String) -> JSON? { members[name] }

    /// What the next line chains on.
    var chain: String { self["continues"]?.string ?? code }
}

// MARK: Writing

extension AuditLine {
    /// Returns the bytes of a line, with its line feed, and its code.
    static func bytes(_ members: [String: JSON], _ keys: AuditKeys) -> (bytes: [UInt8], code: String) {
        let body = JSON.object(members).serialized()
        let code = keys.code(of: body[...])
        return (body.dropLast() + label + code.utf8 + ending + [0x0A], code)
    }

    static func members(
        _ kind: AuditEntry.Kind, _ number: Int64, after previous: String, at moment: LogTime,
        _ others: [String: JSON] = [:]
    ) -> [String: JSON] {
        var members: [String: JSON] = [
            "kind": .string(kind.rawValue), "n": .integer(number), "prev": .string(previous),
            "at": .integer(moment.at), "up": .integer(moment.up), "boot": .string(moment.boot),
        ]
        members["time"] = moment.wall.map { .string($0.formatted(Self.style)) }
        members.merge(others) { $1 }
        return members
    }

    static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}

// MARK: Reading

extension AuditLine {
    /// Reads a line without its line feed; `nil` if it was not written with these keys.
    init?(_ bytes: ArraySlice<UInt8>, _ keys: AuditKeys) {
        let tail = Self.label.count + AuditKeys.codeLength + Self.ending.count
        guard bytes.count > tail, bytes.suffix(Self.ending.count).elementsEqual(Self.ending) else { return nil }
        let body = bytes.dropLast(tail)
        guard bytes[body.endIndex...].starts(with: Self.label) else { return nil }
        let digits = bytes.dropLast(Self.ending.count).suffix(AuditKeys.codeLength)
        let code = keys.code(of: body + [UInt8(ascii: "}")])
        guard constantTimeEqual(Array(digits), Array(code.utf8)),
            let json = try? JSON.parse(Array(bytes), reader: .portable), case .object(var members) = json
        else { return nil }
        members["mac"] = nil
        guard let kind = members["kind"]?.string.flatMap(AuditEntry.Kind.init(rawValue:)),
            let number = members["n"]?.integer, let previous = members["prev"]?.string,
            let at = members["at"]?.integer, let up = members["up"]?.integer, let boot = members["boot"]?.string,
            members.values.allSatisfy({ $0.integer.map(Self.numbers.contains) ?? true })
        else { return nil }
        self.members = members
        (self.kind, self.number, self.previous, self.code) = (kind, number, previous, code)
        time = members["time"]?.string.flatMap { try? Date($0, strategy: Self.style) }
        moment = LogTime(at: at, up: up, boot: boot, wall: time)
    }
}
