import LatchkeyJSON

/// Where the log ended when the last line was acknowledged: one line in the file `audit.head`.
struct AuditHead {
    /// The number of the last line.
    var number: Int64
    /// What the next line chains on.
    var chain: String
    /// What it chains on once an erasure that is under way is done.
    var next: String?

    /// Whether the log may end with this line, or go on from it.
    func fits(_ line: AuditLine) -> Bool { line.number != number || line.chain == chain || line.chain == next }

    func bytes(_ keys: AuditKeys) -> [UInt8] {
        var members: [String: JSON] = ["kind": "head", "n": .integer(number), "chain": .string(chain)]
        if let next { members["next"] = .string(next) }
        return AuditLine.bytes(members, keys).bytes
    }

    init(number: Int64, chain: String, next: String? = nil) {
        (self.number, self.chain, self.next) = (number, chain, next)
    }

    /// Reads the file's content; `nil` if it was not written with these keys.
    init?(_ bytes: [UInt8], _ keys: AuditKeys) {
        guard bytes.last == 0x0A, let json = try? JSON.parse(bytes.dropLast(), reader: .portable),
            json["kind"] == "head", let number = json["n"]?.integer, AuditLine.numbers.contains(number),
            let chain = json["chain"]?.string
        else { return nil }
        self.init(number: number, chain: chain, next: json["next"]?.string)
        // There is one way only to write it.
        guard self.bytes(keys) == bytes else { return nil }
    }
}
