extension String {
    /// Whether there are more than 64 combining marks in a row.
    ///
    /// No real text has that many. Swift sorts such marks whenever it compares or hashes a string,
    /// in time that grows with the square of their number: minutes for a megabyte. Strings from
    /// others must therefore not have them.
    package var hasEndlessMarks: Bool {
        // The first mark, U+0300, begins with this byte.
        guard mayHoldMarks else { return false }
        var run = 0
        for scalar in unicodeScalars {
            run = scalar.isMark ? run + 1 : 0
            if run > 64 { return true }
        }
        return false
    }
}

extension String {
    private var mayHoldMarks: Bool {
        let isFound = utf8.withContiguousStorageIfAvailable { bytes in
            !bytes.isASCII && bytes.contains { $0 >= 0xCC }
        }
        return isFound ?? utf8.contains { $0 >= 0xCC }
    }
}

extension Unicode.Scalar {
    /// Whether Swift sorts this mark, or the marks that it decomposes to (Unicode Standard Annex 15).
    fileprivate var isMark: Bool {
        switch value {
        case ..<0x300: false
        case 0xF73, 0xF75, 0xF81: true
        default: properties.canonicalCombiningClass != .notReordered
        }
    }
}
