/// Keccak-256 as Ethereum uses it: SHA-3 with the padding from before FIPS 202.
enum Keccak {
    static func digest(_ message: [UInt8]) -> [UInt8] {
        let rate = 136
        var padded = message + [0x01]
        padded += [UInt8](repeating: 0, count: (rate - padded.count % rate) % rate)
        padded[padded.count - 1] |= 0x80
        var state = [UInt64](repeating: 0, count: 25)
        for start in stride(from: 0, to: padded.count, by: rate) {
            for word in 0..<(rate / 8) {
                let bytes = padded[(start + 8 * word)..<(start + 8 * word + 8)]
                state[word] ^= bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
            }
            permute(&state)
        }
        return state.prefix(4).flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) } }
    }

    private static func permute(_ state: inout [UInt64]) {
        for constant in constants {
            let columns = (0..<5).map { x in stride(from: x, to: 25, by: 5).reduce(0) { $0 ^ state[$1] } }
            for index in 0..<25 {
                state[index] ^= columns[(index + 4) % 5] ^ rotated(columns[(index + 1) % 5], 1)
            }
            var moved = state[1]
            for (place, count) in zip(places, counts) {
                let next = state[place]
                state[place] = rotated(moved, count)
                moved = next
            }
            for row in stride(from: 0, to: 25, by: 5) {
                let old = Array(state[row..<(row + 5)])
                for x in 0..<5 { state[row + x] = old[x] ^ (~old[(x + 1) % 5] & old[(x + 2) % 5]) }
            }
            state[0] ^= constant
        }
    }

    private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 { word << count | word >> (64 - count) }

    private static let places = [
        10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1,
    ]
    private static let counts: [UInt64] = [
        1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44,
    ]
    private static let constants: [UInt64] = [
        0x0000_0000_0000_0001, 0x0000_0000_0000_8082, 0x8000_0000_0000_808A, 0x8000_0000_8000_8000,
        0x0000_0000_0000_808B, 0x0000_0000_8000_0001, 0x8000_0000_8000_8081, 0x8000_0000_0000_8009,
        0x0000_0000_0000_008A, 0x0000_0000_0000_0088, 0x0000_0000_8000_8009, 0x0000_0000_8000_000A,
        0x0000_0000_8000_808B, 0x8000_0000_0000_008B, 0x8000_0000_0000_8089, 0x8000_0000_0000_8003,
        0x8000_0000_0000_8002, 0x8000_0000_0000_0080, 0x0000_0000_0000_800A, 0x8000_0000_8000_000A,
        0x8000_0000_8000_8081, 0x8000_0000_0000_8080, 0x0000_0000_8000_0001, 0x8000_0000_8000_8008,
    ]
}
