/// Decodes one DEFLATE stream ([RFC 1951](https://www.rfc-editor.org/rfc/rfc1951)), up to a limit.
///
/// It is written here, not taken from libcurl: libcurl refuses every answer whose coding it does not know, such as
/// `utf-8`, which real servers send with plain text.
struct Inflate {
    private let input: [UInt8]
    /// The next byte of the input.
    private(set) var position: Int
    /// What was decoded.
    private(set) var output: [UInt8] = []
    private let limit: Int
    private var buffer: UInt32 = 0
    private var buffered = 0

    /// - Parameter limit: The most bytes to decode.
    init(_ input: [UInt8], at position: Int, limit: Int) {
        self.input = input
        self.position = position
        self.limit = limit
    }

    /// Decodes all blocks. Afterwards ``position`` is at the first byte after the stream.
    mutating func run() throws(ContentError) {
        var isLast = false
        while !isLast {
            isLast = try bits(1) == 1
            switch try bits(2) {
            case 0: try stored()
            case 1: try coded(Huffman.fixedLengths, Huffman.fixedDistances)
            case 2:
                let (lengths, distances) = try codes()
                try coded(lengths, distances)
            default: throw .damaged
            }
        }
    }

    private mutating func bits(_ count: Int) throws(ContentError) -> Int {
        while buffered < count {
            guard position < input.count else { throw .damaged }
            buffer |= UInt32(input[position]) << UInt32(buffered)
            position += 1
            buffered += 8
        }
        let value = buffer & ((1 << UInt32(count)) - 1)
        buffer >>= UInt32(count)
        buffered -= count
        return Int(value)
    }

    /// A block without compression (section 3.2.4). It begins at a byte.
    private mutating func stored() throws(ContentError) {
        (buffer, buffered) = (0, 0)
        guard position + 4 <= input.count else { throw .damaged }
        let length = Int(input[position]) | Int(input[position + 1]) << 8
        guard Int(input[position + 2]) | Int(input[position + 3]) << 8 == length ^ 0xFFFF else { throw .damaged }
        position += 4
        guard position + length <= input.count else { throw .damaged }
        try room(for: length)
        output += input[position..<position + length]
        position += length
    }

    /// A block of codes (section 3.2.3).
    private mutating func coded(_ lengths: Huffman, _ distances: Huffman) throws(ContentError) {
        while true {
            let symbol = try symbol(lengths)
            if symbol == Huffman.endOfBlock { return }
            if symbol < Huffman.endOfBlock {
                try room(for: 1)
                output.append(UInt8(symbol))
                continue
            }
            guard symbol - 257 < Self.lengths.count else { throw .damaged }
            let (base, extra) = Self.lengths[symbol - 257]
            let length = base + (try bits(extra))
            let code = try self.symbol(distances)
            guard code < Self.distances.count else { throw .damaged }
            let (far, more) = Self.distances[code]
            let distance = far + (try bits(more))
            guard distance <= output.count else { throw .damaged }
            try room(for: length)
            // The copy may overlap what it writes.
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
    }

    private func room(for count: Int) throws(ContentError) {
        guard output.count + count <= limit else { throw .tooLarge }
    }

    private mutating func symbol(_ codes: Huffman) throws(ContentError) -> Int {
        var (code, first, index) = (0, 0, 0)
        for length in 1...Huffman.longest {
            code |= try bits(1)
            let count = codes.counts[length]
            if code - count < first { return codes.symbols[index + code - first] }
            index += count
            first = (first + count) << 1
            code <<= 1
        }
        throw .damaged
    }

    /// The codes of a block that brings its own (section 3.2.7).
    private mutating func codes() throws(ContentError) -> (Huffman, Huffman) {
        let lengthCount = try bits(5) + 257
        let distanceCount = try bits(5) + 1
        let ownCount = try bits(4) + 4
        guard lengthCount <= 286, distanceCount <= 30 else { throw .damaged }
        var own = [Int](repeating: 0, count: 19)
        for place in Self.order.prefix(ownCount) { own[place] = try bits(3) }
        let coding = try Huffman(own[...], mayBeIncomplete: false)
        var sizes: [Int] = []
        while sizes.count < lengthCount + distanceCount {
            let symbol = try symbol(coding)
            switch symbol {
            case 16:
                guard let last = sizes.last else { throw .damaged }
                sizes += [Int](repeating: last, count: 3 + (try bits(2)))
            case 17: sizes += [Int](repeating: 0, count: 3 + (try bits(3)))
            case 18: sizes += [Int](repeating: 0, count: 11 + (try bits(7)))
            default: sizes.append(symbol)
            }
        }
        guard sizes.count == lengthCount + distanceCount, sizes[Huffman.endOfBlock] > 0 else { throw .damaged }
        return (
            try Huffman(sizes[..<lengthCount], mayBeIncomplete: true),
            try Huffman(sizes[lengthCount...], mayBeIncomplete: true)
        )
    }

    /// The order in which the lengths of the codes for lengths are written.
    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    /// The least length and the number of further bits, by symbol from 257 (section 3.2.5).
    private static let lengths: [(Int, Int)] = [
        (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0), (9, 0), (10, 0), (11, 1), (13, 1), (15, 1), (17, 1), (19, 2),
        (23, 2), (27, 2), (31, 2), (35, 3), (43, 3), (51, 3), (59, 3), (67, 4), (83, 4), (99, 4), (115, 4), (131, 5),
        (163, 5), (195, 5), (227, 5), (258, 0),
    ]

    /// The least distance and the number of further bits, by symbol.
    private static let distances: [(Int, Int)] = [
        (1, 0), (2, 0), (3, 0), (4, 0), (5, 1), (7, 1), (9, 2), (13, 2), (17, 3), (25, 3), (33, 4), (49, 4), (65, 5),
        (97, 5), (129, 6), (193, 6), (257, 7), (385, 7), (513, 8), (769, 8), (1_025, 9), (1_537, 9), (2_049, 10),
        (3_073, 10), (4_097, 11), (6_145, 11), (8_193, 12), (12_289, 12), (16_385, 13), (24_577, 13),
    ]
}
