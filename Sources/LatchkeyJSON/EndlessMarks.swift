extension String {
    /// Whether more than 64 combining marks stand after each other.
    ///
    /// Nobody writes that. Swift puts such marks in order whenever a text is compared or hashed, which takes time that
    /// grows with the square of their number: minutes for a megabyte. So no text of others may have them.
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
    /// Whether it is a mark that is put in order, or is made of such marks alone (Unicode Standard Annex 15).
    fileprivate var isMark: Bool {
        switch value {
        case ..<0x300: false
        case 0xF73, 0xF75, 0xF81: true
        default: properties.canonicalCombiningClass != .notReordered
        }
    }
}
