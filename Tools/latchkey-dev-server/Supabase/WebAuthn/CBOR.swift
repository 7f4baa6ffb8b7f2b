/// The data format of authenticators: the part of RFC 8949 with definite lengths.
enum CBOR: Equatable {
    case integer(Int)
    case bytes([UInt8])
    case text(String)
    case array([CBOR])
    case map([Pair])

    struct Pair: Equatable {
        var key: CBOR
        var value: CBOR
    }

    /// Returns the value of a member.
    subscript(key: CBOR) -> CBOR? {
        guard case .map(let pairs) = self else { return nil }
        return pairs.first { $0.key == key }?.value
    }

    var bytes: [UInt8]? {
        guard case .bytes(let bytes) = self else { return nil }
        return bytes
    }

    /// Reads one value, and returns it with the remaining bytes; `nil` if there is none.
    static func read(_ bytes: ArraySlice<UInt8>, depth: Int = 8) -> (value: CBOR, rest: ArraySlice<UInt8>)? {
        guard depth > 0, let head = bytes.first else { return nil }
        var rest = bytes.dropFirst()
        var count = Int(head & 31)
        if count > 23 {
            guard count < 27 else { return nil }
            let width = 1 << (count - 24)
            guard rest.count >= width else { return nil }
            count = rest.prefix(width).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(width)
        }
        switch head >> 5 {
        case 0: return (.integer(count), rest)
        case 1: return (.integer(-1 - count), rest)
        case 2, 3:
            guard rest.count >= count else { return nil }
            let content = Array(rest.prefix(count))
            let value: CBOR? =
                head >> 5 == 2 ? .bytes(content) : String(validating: content, as: UTF8.self).map(CBOR.text)
            return value.map { ($0, rest.dropFirst(count)) }
        case 4, 5:
            guard count <= rest.count else { return nil }
            var elements: [CBOR] = []
            for _ in 0..<(head >> 5 == 4 ? count : 2 * count) {
                guard let (element, left) = read(rest, depth: depth - 1) else { return nil }
                elements.append(element)
                rest = left
            }
            guard head >> 5 == 5 else { return (.array(elements), rest) }
            let pairs = stride(from: 0, to: elements.count, by: 2).map {
                Pair(key: elements[$0], value: elements[$0 + 1])
            }
            return (.map(pairs), rest)
        default: return nil
        }
    }

    /// The shortest form, members in the order given.
    var encoded: [UInt8] {
        switch self {
        case .integer(let number): number >= 0 ? Self.head(0, number) : Self.head(1, -1 - number)
        case .bytes(let bytes): Self.head(2, bytes.count) + bytes
        case .text(let text): Self.head(3, text.utf8.count) + Array(text.utf8)
        case .array(let elements): Self.head(4, elements.count) + elements.flatMap(\.encoded)
        case .map(let pairs): Self.head(5, pairs.count) + pairs.flatMap { $0.key.encoded + $0.value.encoded }
        }
    }

    private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
        switch count {
        case ..<24: [kind << 5 | UInt8(count)]
        case ..<256: [kind << 5 | 24, UInt8(count)]
        case ..<65_536: [kind << 5 | 25, UInt8(count >> 8), UInt8(count & 0xFF)]
        default: [kind << 5 | 26] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
        }
    }
}
