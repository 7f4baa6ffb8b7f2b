extension UnsafeBufferPointer<UInt8> {
    /// Returns the first place from `start` on at which a JSON string has a control character, a
    /// quote or a backslash (RFC 8259, section 7); the end if there is none.
    func endOfPlainRun(from start: Int) -> Int {
        var place = start
        // Eight bytes at a time: tokens are long and contain few escapes.
        while place + 8 <= count {
            let marks = Self.marksOfSpecial(word(at: place))
            if marks != 0 { return place + marks.trailingZeroBitCount / 8 }
            place += 8
        }
        while place < count, self[place].standsForItself { place += 1 }
        return place
    }

    /// Whether all bytes are ASCII.
    var isASCII: Bool {
        var place = 0
        while place + 8 <= count {
            if word(at: place) & Self.highBits != 0 { return false }
            place += 8
        }
        return self[place...].allSatisfy { $0 < 0x80 }
    }

    private static var highBits: UInt64 { 0x8080_8080_8080_8080 }
    private static var ones: UInt64 { 0x0101_0101_0101_0101 }

    /// Returns eight bytes, with the first in the lowest place.
    private func word(at place: Int) -> UInt64 {
        UInt64(littleEndian: UnsafeRawBufferPointer(self).loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }

    /// Sets the high bit of the first special byte and of none below it. Above it, a borrow may set more.
    private static func marksOfSpecial(_ word: UInt64) -> UInt64 {
        let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let marks = ((word &- ones &* 0x20) & ~word) | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
        return marks & highBits
    }
}

extension UInt8 {
    /// Whether this is neither a control character nor a quote nor a backslash.
    fileprivate var standsForItself: Bool { self >= 0x20 && self != UInt8(ascii: "\"") && self != UInt8(ascii: "\\") }
}
