import LatchkeyJSON

/// One way in which a file may be damaged.
enum Damage: Hashable, Sendable {
    /// Half of it is gone.
    case cut
    /// Nothing is left in it.
    case emptied
    /// Each byte is another.
    case garbled
    /// A JSON document without any member.
    case memberless
    /// A member of a JSON document is gone: that of this number, by name.
    case memberGone(Int)
    /// The member is of another type.
    case memberOfOtherType(Int)
    /// The member is a negative number.
    case memberNegative(Int)

    /// Every damage. Of documents with many members, some are left whole.
    static let all: [Damage] =
        [.cut, .emptied, .garbled, .memberless]
        + (0..<8).flatMap { [.memberGone($0), .memberOfOtherType($0), .memberNegative($0)] }

    /// Returns what is left; `nil` if this damage cannot be done to it.
    func done(to bytes: [UInt8]) -> [UInt8]? {
        switch self {
        case .cut: return bytes.isEmpty ? nil : Array(bytes.prefix(bytes.count / 2))
        case .emptied: return bytes.isEmpty ? nil : []
        case .garbled: return bytes.isEmpty ? nil : bytes.map { $0 ^ 0x55 }
        case .memberless: return Self.members(of: bytes).map { _ in Array("{}".utf8) }
        case .memberGone(let index): return change(bytes, index) { _ in .some(nil) }
        case .memberOfOtherType(let index):
            return change(bytes, index) { $0.string == nil ? .some("sloop") : .some(7) }
        case .memberNegative(let index): return change(bytes, index) { $0.integer == nil ? nil : .some(-1) }
        }
    }

    /// The words for it.
    var words: String {
        switch self {
        case .cut: "cut in half"
        case .emptied: "empty"
        case .garbled: "garbled"
        case .memberless: "{}"
        case .memberGone: "without a member"
        case .memberOfOtherType: "with a member of another type"
        case .memberNegative: "with a negative number"
        }
    }

    private func change(_ bytes: [UInt8], _ index: Int, _ change: (JSON) -> JSON??) -> [UInt8]? {
        guard var members = Self.members(of: bytes) else { return nil }
        let names = members.keys.sorted()
        guard index < names.count, let old = members[names[index]], let new = change(old) else { return nil }
        members[names[index]] = new
        return JSON.object(members).serialized()
    }

    private static func members(of bytes: [UInt8]) -> [String: JSON]? {
        do { return try JSON.parse(bytes).object } catch { return nil }
    }
}
