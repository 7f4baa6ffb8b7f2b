import FoundationEssentials
@testable import LatchkeyJSON

extension FuzzTarget {
    /// Every document that our readers accept is also accepted by Foundation, with the same value.
    ///
    /// The opposite is not true: Foundation's `JSONDecoder` also accepts a member twice (the first counts), a comma
    /// before the end, a byte order mark, U+0000, other encodings than UTF-8, 512 levels, and a text or number at
    /// the top. And it refuses numbers that are too small for a double, which are zero here.
    static let jsonPeer = FuzzTarget(name: "json-foundation", longest: 512) { bytes throws(Disagreement) in
        guard let ours = try? JSON.parse(bytes) else { return }
        guard let theirs = try? JSONDecoder().decode(Peer.self, from: Data(bytes)) else {
            return try demand(hasZero(ours), "Foundation refuses what we accept")
        }
        try demand(theirs.isSame(as: ours), "Foundation reads another value")
    }
}

/// Whether a number in `json` is zero and not written as an integer.
private func hasZero(_ json: JSON) -> Bool {
    switch json {
    case .number(let value): value == 0
    case .array(let elements): elements.contains(where: hasZero)
    case .object(let members): members.values.contains(where: hasZero)
    default: false
    }
}

/// A JSON value as Foundation reads it.
private indirect enum Peer: Decodable {
    case null
    case bool(Bool)
    case number(Double, whole: Int64?)
    case string(String)
    case array([Peer])
    case object([String: Peer])

    init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: Name.self) {
            self = .object(
                try members.allKeys.reduce(into: [:]) { $0[$1.stringValue] = try members.decode(Peer.self, forKey: $1) }
            )
        } else if var elements = try? decoder.unkeyedContainer() {
            var all: [Peer] = []
            while !elements.isAtEnd { all.append(try elements.decode(Peer.self)) }
            self = .array(all)
        } else {
            let value = try decoder.singleValueContainer()
            if value.decodeNil() {
                self = .null
            } else if let truth = try? value.decode(Bool.self) {
                self = .bool(truth)
            } else if let text = try? value.decode(String.self) {
                self = .string(text)
            } else {
                self = .number(try value.decode(Double.self), whole: try? value.decode(Int64.self))
            }
        }
    }

    func isSame(as ours: JSON) -> Bool {
        switch (self, ours) {
        case (.null, .null): true
        case (.bool(let one), .bool(let two)): one == two
        case (.number(_, let whole), .integer(let two)): whole == two
        case (.number(let one, _), .number(let two)): one == two
        case (.string(let one), .string(let two)): one.utf8.elementsEqual(two.utf8)
        case (.array(let one), .array(let two)):
            one.count == two.count && zip(one, two).allSatisfy { $0.isSame(as: $1) }
        case (.object(let one), .object(let two)):
            one.count == two.count && one.allSatisfy { name, value in two[name].map(value.isSame) ?? false }
        default: false
        }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
