/// ECDSA signatures on P-256 in the format of authenticators: a sequence of two integers (RFC 3279 section 2.2.3).
enum DERSignature {
    /// Returns r and s of 32 bytes each; `nil` if the bytes are not such a sequence.
    static func raw(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count > 8, bytes.count < 80, bytes[0] == 0x30, Int(bytes[1]) == bytes.count - 2 else { return nil }
        var (rest, numbers): (ArraySlice<UInt8>, [UInt8]) = (bytes.dropFirst(2), [])
        for _ in 0..<2 {
            guard rest.count > 2, rest.first == 0x02 else { return nil }
            let count = Int(rest[rest.startIndex + 1])
            let content = rest.dropFirst(2).prefix(count)
            guard content.count == count, count > 0 else { return nil }
            let number = content.drop { $0 == 0 }
            guard number.count <= 32 else { return nil }
            numbers += [UInt8](repeating: 0, count: 32 - number.count) + number
            rest = rest.dropFirst(2 + count)
        }
        return rest.isEmpty ? numbers : nil
    }

    /// Returns the sequence of r and s.
    static func encode(_ raw: [UInt8]) -> [UInt8] {
        let numbers = [raw.prefix(32), raw.suffix(32)].flatMap { half in
            var number = Array(half.drop { $0 == 0 })
            if number.first.map({ $0 > 0x7F }) ?? true { number.insert(0, at: 0) }
            return [0x02, UInt8(number.count)] + number
        }
        return [0x30, UInt8(numbers.count)] + numbers
    }
}
