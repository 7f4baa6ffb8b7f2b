import LatchkeyJSON

/// Writes lines behind one another, each chained on the one before.
struct LineComposer {
    private let keys: AuditKeys
    /// The number of the last line.
    private(set) var number: Int64
    /// What the next line chains on.
    private(set) var chain: String
    private(set) var bytes: [UInt8] = []

    init(after number: Int64, chain: String, _ keys: AuditKeys) {
        (self.number, self.chain, self.keys) = (number, chain, keys)
    }

    /// Adds the next line.
    mutating func add(_ kind: AuditEntry.Kind, at moment: LogTime, _ others: [String: JSON] = [:]) {
        add(kind, number + 1, at: moment, others)
    }

    /// Adds a line with a number of its own.
    mutating func add(_ kind: AuditEntry.Kind, _ number: Int64, at moment: LogTime, _ others: [String: JSON] = [:]) {
        write(AuditLine.members(kind, number, after: chain, at: moment, others), number)
    }

    /// Adds a line that says what `line` says, and is chained anew.
    mutating func rechain(_ line: AuditLine) {
        var members = line.members
        members["prev"] = .string(chain)
        write(members, line.number)
    }

    /// Adds the first line of a file. `continues` is what the next line chains on; `nil` means on this one.
    mutating func start(at moment: LogTime, why: StartReason, continues: String?, faults: Int64) {
        var others: [String: JSON] = ["format": .integer(AuditLine.format), "why": .string(why.rawValue)]
        if let continues { others["continues"] = .string(continues) }
        if faults > 0 { others["faults"] = .integer(faults) }
        write(AuditLine.members(.start, number, after: AuditLine.nothing, at: moment, others), number)
        if let continues { chain = continues }
    }

    private mutating func write(_ members: [String: JSON], _ number: Int64) {
        let line = AuditLine.bytes(members, keys)
        bytes += line.bytes
        (self.number, chain) = (number, line.code)
    }
}

/// Why a file begins where it does.
enum StartReason: String {
    /// It is the first one.
    case new
    /// Lines before it were too old, or too many.
    case aged
    /// Everything before it was erased.
    case erased
    /// The file before it was gone.
    case lost
}
