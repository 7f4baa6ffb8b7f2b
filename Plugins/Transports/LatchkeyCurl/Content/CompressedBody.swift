import CZlib

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Bodies that zlib has compressed.
///
/// libcurl could decompress them itself. It is not asked to, because it refuses every answer whose coding it does not
/// know, such as `utf-8`, which real servers send with plain text.
enum CompressedBody {
    /// The file format of gzip ([RFC 1952](https://www.rfc-editor.org/rfc/rfc1952)).
    private static let gzip: Int32 = 31
    /// The format of zlib ([RFC 1950](https://www.rfc-editor.org/rfc/rfc1950)), and its stream alone.
    private static let (framed, bare): (Int32, Int32) = (15, -15)
    private static let gzipMark: [UInt8] = [0x1F, 0x8B, 8]

    /// Whether the bytes are the beginning of a gzip file.
    static func isGzip(_ bytes: [UInt8]) -> Bool { bytes.starts(with: gzipMark) }

    /// Decodes all members of a gzip file. Bytes after the last one are ignored, as by gzip itself.
    static func gunzip(_ bytes: [UInt8], cap: Int) throws(ContentError) -> [UInt8] {
        var output: [UInt8] = []
        var rest = bytes[...]
        repeat {
            let (decoded, taken) = try decode(rest, gzip, limit: cap - output.count)
            output += decoded
            rest = rest.dropFirst(taken)
        } while rest.starts(with: gzipMark)
        return output
    }

    /// Decodes the coding `deflate`. Some servers send the stream without zlib's frame.
    static func inflate(_ bytes: [UInt8], cap: Int) throws(ContentError) -> [UInt8] {
        let isFramed =
            bytes.count >= 2 && bytes[0] & 15 == 8 && bytes[1] & 0x20 == 0
            && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
        return try decode(bytes[...], isFramed ? framed : bare, limit: cap).output
    }

    private static func decode(
        _ bytes: ArraySlice<UInt8>, _ format: Int32, limit: Int
    ) throws(ContentError) -> (output: [UInt8], taken: Int) {
        var (start, written, taken) = (UnsafeMutablePointer<UInt8>?.none, 0, 0)
        let result = bytes.withUnsafeBufferPointer { input in
            shim_zlib_decode(input.baseAddress, input.count, format, max(limit, 0), &start, &written, &taken)
        }
        defer { free(start) }
        switch result {
        case SHIM_ZLIB_DONE: return (Array(UnsafeBufferPointer(start: start, count: written)), taken)
        case SHIM_ZLIB_TOO_LARGE: throw .tooLarge
        // libcurl brings zlib along, so it is there wherever an answer is.
        default: throw .damaged
        }
    }
}
