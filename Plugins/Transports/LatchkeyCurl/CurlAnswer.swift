import Latchkey

/// The answer received so far, within its limits, as bytes in one block. The driver serves all requests, so it only
/// stores the block; the task of the request reads fields and body from it.
struct CurlAnswer {
    private(set) var isTooLarge = false
    /// Whether nothing has come.
    var isEmpty: Bool { headSize == 0 }
    /// The head, and then the body.
    private var bytes: [UInt8] = []
    /// Where the body begins.
    private var bodyStart = 0
    private var lineCount = 0
    /// The number of bytes in all heads so far, including those of `1xx` answers and trailers.
    private var headSize = 0
    /// Whether the empty line after the last head has come.
    private(set) var isHeadOver = false

    /// The initial capacity, enough for most answers of an authorization server.
    private static let room = 2_016

    /// Returns an empty answer with that capacity.
    static func roomy() -> CurlAnswer {
        var answer = CurlAnswer()
        answer.bytes.reserveCapacity(room)
        return answer
    }

    /// Takes a piece of the body; `false` if the body is too large.
    mutating func take(_ piece: UnsafeRawBufferPointer, cap: Int) -> Bool {
        guard bytes.count - bodyStart + piece.count <= cap else {
            isTooLarge = true
            return false
        }
        bytes.append(contentsOf: piece)
        return true
    }

    /// Takes one line of a head, including status line and empty line; `false` if the head is too large. Ignores
    /// lines after the head, which are trailers.
    mutating func takeLine(_ line: UnsafeRawBufferPointer) -> Bool {
        headSize += line.count
        guard headSize <= CurlSettings.headCap, lineCount < CurlSettings.linesCap else {
            isTooLarge = true
            return false
        }
        if isHeadOver || lineCount == 0, Self.isStatus(line) {
            bytes.removeAll(keepingCapacity: true)
            (isHeadOver, lineCount, bodyStart) = (false, 0, 0)
        } else if Self.isEnd(line) {
            isHeadOver = true
        } else if !isHeadOver {
            bytes.append(contentsOf: line)
            if line.last != 0x0A { bytes.append(0x0A) }
            (lineCount, bodyStart) = (lineCount + 1, bytes.count)
        }
        return true
    }

    /// Returns the answer, once it is complete.
    func response(status: Int) -> TransportResponse {
        TransportResponse(status: status, fields: HeaderFields(lines), body: Array(bytes[bodyStart...]))
    }

    /// The lines of the last head.
    var lines: [(name: String, value: String)] {
        var lines: [(name: String, value: String)] = []
        lines.reserveCapacity(lineCount)
        bytes.withUnsafeBytes { bytes in
            var start = 0
            for index in 0..<bodyStart where bytes[index] == 0x0A {
                Self.takeField(UnsafeRawBufferPointer(rebasing: bytes[start..<index]), into: &lines)
                start = index + 1
            }
        }
        return lines
    }

    private static func takeField(_ line: UnsafeRawBufferPointer, into lines: inout [(name: String, value: String)]) {
        let end = line.firstIndex(of: 0x0D) ?? line.count
        if isBlank(line[0]), let last = lines.indices.last {
            // A folded line continues with one space (RFC 9112, section 5.2).
            lines[last].value += " " + text(line, 0, end)
            return
        }
        var colon = 0
        while colon < end, line[colon] != 0x3A { colon += 1 }
        guard colon < end else { return }
        lines.append((text(line, 0, colon), text(line, colon + 1, end)))
    }

    private static func isStatus(_ line: UnsafeRawBufferPointer) -> Bool {
        // "HTTP/"
        line.count >= 5 && line[0] == 0x48 && line[1] == 0x54 && line[2] == 0x54 && line[3] == 0x50 && line[4] == 0x2F
    }

    private static func isEnd(_ line: UnsafeRawBufferPointer) -> Bool {
        line.isEmpty || line[0] == 0x0D || line[0] == 0x0A
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func text(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> String {
        var (start, end) = (start, end)
        while start < end, isBlank(bytes[start]) { start += 1 }
        while start < end, isBlank(bytes[end - 1]) { end -= 1 }
        return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
    }
}
