/// A canonical Huffman code: symbols of one length are numbered in order (RFC 1951, section 3.2.2).
struct Huffman {
    /// The most bits of a code.
    static let longest = 15
    /// The symbol that ends a block.
    static let endOfBlock = 256

    /// The number of symbols by the length of their code.
    private(set) var counts = [Int](repeating: 0, count: longest + 1)
    /// The symbols, in the order of their codes.
    let symbols: [Int]

    /// Creates the code in which the symbol `n` has `lengths[n]` bits, and none if that is 0.
    ///
    /// - Parameter mayBeIncomplete: Whether one code of one bit may stand alone, as it does where a block has only one
    ///   distance, and whether there may be none.
    init(_ lengths: ArraySlice<Int>, mayBeIncomplete: Bool) throws(ContentError) {
        for length in lengths where length > 0 { counts[length] += 1 }
        var left = 1
        for length in 1...Self.longest {
            left = left * 2 - counts[length]
            guard left >= 0 else { throw .damaged }
        }
        let used = counts.reduce(0, +)
        guard left == 0 || mayBeIncomplete && used <= 1 && used == counts[1] else { throw .damaged }
        var offsets = [Int](repeating: 0, count: Self.longest + 2)
        for length in 1...Self.longest { offsets[length + 1] = offsets[length] + counts[length] }
        var symbols = [Int](repeating: 0, count: used)
        for (symbol, length) in lengths.enumerated() where length > 0 {
            symbols[offsets[length]] = symbol
            offsets[length] += 1
        }
        self.symbols = symbols
    }

    private init(checked lengths: [Int]) {
        // The lengths are those of RFC 1951, so nothing can be wrong with them.
        var offset = 0
        var symbols: [Int] = []
        for length in 1...Self.longest {
            for (symbol, own) in lengths.enumerated() where own == length { symbols.append(symbol) }
            counts[length] = symbols.count - offset
            offset = symbols.count
        }
        self.symbols = symbols
    }

    /// The code for lengths of blocks that bring none (section 3.2.6).
    static let fixedLengths = Huffman(
        checked: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    /// The code for distances of such blocks.
    static let fixedDistances = Huffman(checked: [Int](repeating: 5, count: 30))
}
