/// One byte many times, compressed as gzip (RFC 1952), without a library.
enum RepeatedGzip {
    /// Returns the compressed form of `count` times `byte`, a letter of ASCII.
    static func bytes(of byte: UInt8, count: Int) -> [UInt8] {
        var bits = Bits()
        // One last block with the fixed codes (RFC 1951, section 3.2.6).
        bits.add(1, 1)
        bits.add(1, 2)
        var rest = count
        if rest > 0 {
            bits.addCode(0x30 + Int(byte), 8)
            rest -= 1
        }
        while rest >= 258 {
            // A length of 258 (code 285) at a distance of 1 (code 0).
            bits.addCode(0xC5, 8)
            bits.addCode(0, 5)
            rest -= 258
        }
        for _ in 0..<rest { bits.addCode(0x30 + Int(byte), 8) }
        bits.addCode(0, 7)
        let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
        return head + bits.bytes + little(checksum(of: byte, count: count)) + little(UInt32(truncatingIfNeeded: count))
    }

    private static func little(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) } }

    private static func checksum(of byte: UInt8, count: Int) -> UInt32 {
        let table = (0..<UInt32(256)).map { start in
            (0..<8).reduce(start) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
        }
        var value = UInt32.max
        for _ in 0..<count { value = table[Int((value ^ UInt32(byte)) & 0xFF)] ^ (value >> 8) }
        return ~value
    }

    /// Bits, the lowest of each byte first.
    private struct Bits {
        var bytes: [UInt8] = []
        private var used = 8

        mutating func add(_ value: Int, _ count: Int) {
            for bit in 0..<count {
                if used == 8 {
                    bytes.append(0)
                    used = 0
                }
                if value >> bit & 1 == 1 { bytes[bytes.count - 1] |= 1 << used }
                used += 1
            }
        }

        /// A code of Huffman's, whose highest bit comes first.
        mutating func addCode(_ code: Int, _ count: Int) {
            for bit in stride(from: count - 1, through: 0, by: -1) { add(code >> bit & 1, 1) }
        }
    }
}
