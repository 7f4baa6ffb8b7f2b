extension [UInt8] {
    /// Whether the bytes begin with U+FEFF in UTF-8.
    package var hasByteOrderMark: Bool { starts(with: [0xEF, 0xBB, 0xBF]) }

    /// Where a document begins: after the byte order mark, if there is one.
    var startOfJSON: Int { hasByteOrderMark ? 3 : 0 }
}
