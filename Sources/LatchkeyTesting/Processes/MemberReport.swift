import Latchkey

/// A member's report, one per line. Other lines belong to the author's program and are ignored.
///
/// | Line | Meaning |
/// | --- | --- |
/// | `@ ready` | the store is open |
/// | `@ begins M C PM PC` | member M is about to write its C-th value over that one; `0 0`: over nothing |
/// | `@ deletes M C` | it is about to delete |
/// | `@ done M C VERSION MICROSECONDS` | `replace` returned; the version as hexadecimal text, or `-` |
/// | `@ refused M C` | another writer was first |
/// | `@ counted N` | it has counted this often, and ends |
/// | `@ holds` | it holds the lock |
/// | `@ half` | it read what nobody wrote, or got an error that the record is damaged |
/// | `@ failed WORDS` | a call threw something else, and it ends |
enum MemberReport: Sendable {
    case ready, holds, half
    case begins(Writing, over: Writing?)
    case deletes(Writing)
    case done(Writing, version: String?, microseconds: Int)
    case refused(Writing)
    case counted(Int)
    case failed(String)

    init?(_ line: Substring) {
        let words = line.split(separator: " ", maxSplits: 6)
        guard words.count > 1, words[0] == "@" else { return nil }
        let numbers = words.dropFirst(2).map { Int($0) ?? 0 }
        let writing = numbers.count > 1 ? Writing(member: numbers[0], count: numbers[1]) : nil
        switch (String(words[1]), writing) {
        case ("ready", _): self = .ready
        case ("holds", _): self = .holds
        case ("half", _): self = .half
        case ("begins", let writing?) where numbers.count == 4:
            self = .begins(writing, over: numbers[2] == 0 ? nil : Writing(member: numbers[2], count: numbers[3]))
        case ("deletes", let writing?): self = .deletes(writing)
        case ("done", let writing?) where words.count == 6:
            self = .done(writing, version: words[4] == "-" ? nil : String(words[4]), microseconds: numbers[3])
        case ("refused", let writing?): self = .refused(writing)
        case ("counted", _) where numbers.count == 1: self = .counted(numbers[0])
        case ("failed", _): self = .failed(words.dropFirst(2).joined(separator: " "))
        default: return nil
        }
    }

    var line: String {
        switch self {
        case .ready: "@ ready"
        case .holds: "@ holds"
        case .half: "@ half"
        case .begins(let writing, let previous):
            "@ begins \(writing.member) \(writing.count) \(previous?.member ?? 0) \(previous?.count ?? 0)"
        case .deletes(let writing): "@ deletes \(writing.member) \(writing.count)"
        case .done(let writing, let version, let microseconds):
            "@ done \(writing.member) \(writing.count) \(version ?? "-") \(microseconds)"
        case .refused(let writing): "@ refused \(writing.member) \(writing.count)"
        case .counted(let count): "@ counted \(count)"
        case .failed(let words): "@ failed \(String(words.prefix(300)).filter { !$0.isNewline })"
        }
    }

    /// Returns a version as reports write it: hexadecimal text of any bytes.
    static func text(_ version: RecordVersion) -> String {
        version.bytes.isEmpty ? "empty" : version.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
