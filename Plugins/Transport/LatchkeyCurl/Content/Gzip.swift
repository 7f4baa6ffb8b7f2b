/// The file format of gzip ([RFC 1952](https://www.rfc-editor.org/rfc/rfc1952)).
enum Gzip {
    private enum Flag {
        static let checksum: UInt8 = 2
        static let extra: UInt8 = 4
        static let name: UInt8 = 8
        static let comment: UInt8 = 16
        static let reserved: UInt8 = 0xE0
    }

    /// The bytes of the head before its optional parts, and those after the stream.
    private static let (headSize, endSize) = (10, 8)

    /// Whether the bytes are the beginning of a gzip file.
    static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B, 8]) }

    /// Decodes all members (section 2.2). Bytes after the last one are ignored, as by gzip itself.
    static func decode(_ bytes: [UInt8], cap: Int) throws(ContentError) -> [UInt8] {
        var output: [UInt8] = []
        var position = 0
        repeat {
            var inflate = Inflate(bytes, at: try head(bytes, at: position), limit: cap - output.count)
            try inflate.run()
            let end = inflate.position
            guard end + endSize <= bytes.count, word(bytes, end) == crc(inflate.output),
                word(bytes, end + 4) == UInt32(truncatingIfNeeded: inflate.output.count)
            else { throw .damaged }
            output += inflate.output
            position = end + endSize
        } while bytes[position...].starts(with: [0x1F, 0x8B, 8])
        return output
    }

    /// Returns where the compressed bytes begin (section 2.3).
    private static func head(_ bytes: [UInt8], at start: Int) throws(ContentError) -> Int {
        guard start + headSize <= bytes.count, bytes[start + 3] & Flag.reserved == 0 else { throw .damaged }
        let flags = bytes[start + 3]
        var position = start + headSize
        if flags & Flag.extra != 0 {
            guard position + 2 <= bytes.count else { throw .damaged }
            position += 2 + Int(bytes[position]) + Int(bytes[position + 1]) << 8
        }
        for flag in [Flag.name, Flag.comment] where flags & flag != 0 {
            guard position < bytes.count, let end = bytes[position...].firstIndex(of: 0) else { throw .damaged }
            position = end + 1
        }
        if flags & Flag.checksum != 0 { position += 2 }
        guard position <= bytes.count else { throw .damaged }
        return position
    }

    private static func word(_ bytes: [UInt8], _ place: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) }
    }

    /// Returns the checksum of section 8.
    static func crc(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }
}

/// The coding `deflate`: the format of zlib ([RFC 1950](https://www.rfc-editor.org/rfc/rfc1950)). Some servers send the
/// stream without it.
enum Zlib {
    static func decode(_ bytes: [UInt8], cap: Int) throws(ContentError) -> [UInt8] {
        let isFramed =
            bytes.count >= 2 && bytes[0] & 15 == 8 && bytes[1] & 0x20 == 0
            && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
        var inflate = Inflate(bytes, at: isFramed ? 2 : 0, limit: cap)
        try inflate.run()
        guard isFramed else { return inflate.output }
        let end = inflate.position
        guard end + 4 <= bytes.count,
            (0..<4).reduce(UInt32(0), { $0 << 8 | UInt32(bytes[end + $1]) }) == adler(inflate.output)
        else { throw .damaged }
        return inflate.output
    }

    /// Returns the checksum of section 8.2.
    private static func adler(_ bytes: [UInt8]) -> UInt32 {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }
}
