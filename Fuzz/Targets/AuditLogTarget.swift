import FoundationEssentials
import Latchkey
@testable import LatchkeyAuditLog
@testable import LatchkeyJSON

extension FuzzTarget {
    /// The file of the security log, and the note of where it ends.
    ///
    /// A line after `+` has members to replace those of the line that would come next, one after `^` those of the
    /// right note; both are then signed, and so is one after `!`, as it is. Other lines stay as they are.
    static let auditLog = FuzzTarget(name: "audit-log", longest: 4_096) { bytes throws(Disagreement) in
        let input = AuditLogInput(bytes)
        for line in input.file.split(separator: 0x0A, omittingEmptySubsequences: false) {
            guard let read = AuditLine(line, AuditLogInput.keys) else { continue }
            try demand(input.signed.contains(Array(line)), "a line passes that nobody signed")
            try demandSame(read)
        }
        let end = input.file.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        var check = ChainCheck(input.file, upTo: end, AuditLogInput.keys)
        try demand(check.weight >= 0, "less than nothing is wrong")
        try demand(check.lines.map(\.range).allSatisfy { $0.upperBound < end }, "a line goes on behind the end")
        let head = AuditHead(input.head, AuditLogInput.keys)
        if let head { try demand(head.bytes(AuditLogInput.keys) == input.head, "a note is read as another one") }
        check.compare(head)
        for finding in check.findings { try Canary.demandHidden(finding) }
        if check.findings.isEmpty { try AuditLogOracle.demandWhole(check.lines.map(\.line), head) }
        // The next line is always later than the last one that can be read.
        let reading = LogTime.Reading(AuditLogInput.clock)
        for case let line? in check.lines.map(\.line) {
            let next = LogTime(reading, after: line.moment, age: .seconds(7_776_000), AuditLogInput.keys)
            try demand(next.at >= line.moment.at, "the log's own clock goes back")
        }
    }

    /// Checks that a line is the same after it was written and read again.
    private static func demandSame(_ line: AuditLine) throws(Disagreement) {
        let written = AuditLine.bytes(line.members, AuditLogInput.keys).bytes
        guard let again = AuditLine(written.dropLast(), AuditLogInput.keys) else {
            throw Disagreement("a line cannot be read again")
        }
        try demand(again.members == line.members, "a line is read again as another one")
        try demand(AuditEntry(again) == AuditEntry(line), "a line is shown as another one")
    }
}

/// Reads logs in the format of inputs.
struct AuditLogInput {
    struct Clock: AuthClock {
        let boot = "boot"

        func now() -> MonotonicInstant { MonotonicInstant(nanoseconds: 60_000_000_000) }

        func wall() -> Date { Date(timeIntervalSince1970: 1_795_176_000) }

        func sleep(until instant: MonotonicInstant) async throws {}
    }

    static let keys = AuditKeys([UInt8](repeating: 7, count: AuditKeys.size))
    static let clock = Clock()

    private(set) var file: [UInt8] = []
    private(set) var head: [UInt8] = []
    /// Every line with a right code.
    private(set) var signed: Set<[UInt8]> = []
    private var number: Int64 = -1
    private var chain = AuditLine.nothing

    init(_ bytes: [UInt8]) {
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            let rest = Array(line.dropFirst())
            switch line.first {
            case UInt8(ascii: "+"): add(AuditLogInput.changes(rest))
            case UInt8(ascii: "^"): note(AuditLogInput.changes(rest))
            case UInt8(ascii: "!"): sign(rest)
            default: file += line + [0x0A]
            }
        }
        if bytes.last != 0x0A { file.removeLast(min(1, file.count)) }
    }

    private static func changes(_ bytes: [UInt8]) -> [String: JSON] { (try? JSON.parse(bytes))?.object ?? [:] }

    private mutating func add(_ changes: [String: JSON]) {
        let moment = LogTime(at: max(0, number), up: 0, boot: "b-1", wall: AuditLogInput.clock.wall())
        var members = AuditLine.members(number < 0 ? .start : .event, number &+ 1, after: chain, at: moment)
        members.merge(changes) { _, new in new }
        keep(AuditLine.bytes(members, AuditLogInput.keys))
        number = members["n"]?.integer ?? number &+ 1
        if let continues = members["continues"]?.string { chain = continues }
    }

    private mutating func note(_ changes: [String: JSON]) {
        var members: [String: JSON] = ["kind": "head", "n": .integer(number), "chain": .string(chain)]
        members.merge(changes) { _, new in new }
        head = AuditLine.bytes(members, AuditLogInput.keys).bytes
    }

    private mutating func sign(_ body: [UInt8]) {
        let code = AuditLogInput.keys.code(of: body[...])
        keep((body.dropLast() + #","mac":""#.utf8 + code.utf8 + #""}"#.utf8 + [0x0A], code))
    }

    private mutating func keep(_ line: (bytes: [UInt8], code: String)) {
        file += line.bytes
        signed.insert(line.bytes.dropLast())
        chain = line.code
    }
}

/// When a log is whole, implemented again.
enum AuditLogOracle {
    static func demandWhole(_ lines: [AuditLine?], _ head: AuditHead?) throws(Disagreement) {
        guard let first = lines.first else {
            return try demand(head?.number ?? 0 <= 0, "nothing is missing, and there are no lines")
        }
        guard let head else { throw Disagreement("a log is whole, and nobody knows its end") }
        guard var last = first, last.kind == .start else { throw Disagreement("a log is whole without its beginning") }
        for line in lines.dropFirst() {
            guard let line else { throw Disagreement("a log is whole, and one line is not its own") }
            let (first, chain) = (line["from"]?.integer ?? line.number, last["continues"]?.string ?? last.code)
            try demand(line.kind != .start && line.kind != .broken, "a log is whole that begins or breaks in between")
            try demand(first == last.number + 1, "a log is whole, and a number is missing")
            try demand(line.previous == chain, "a log is whole, and its chain is not")
            last = line
        }
        try demand(head.number <= last.number, "a log is whole, and its end is missing")
        guard let noted = lines.last(where: { $0?.number == head.number }) ?? nil else { return }
        let chain = noted["continues"]?.string ?? noted.code
        try demand(head.chain == chain || head.next == chain, "a log is whole with the note of another one")
    }
}
