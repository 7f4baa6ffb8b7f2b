import Latchkey

/// What came of an answer so far, within its limits.
struct CurlAnswer {
    private(set) var lines: [(name: String, value: String)] = []
    private(set) var body: [UInt8] = []
    private(set) var isTooLarge = false
    private var headSize = 0
    private var isHeadOver = false

    /// Takes a piece of the body; `false`: it is too large.
    mutating func take(_ bytes: UnsafeRawBufferPointer, cap: Int) -> Bool {
        guard body.count + bytes.count <= cap else {
            isTooLarge = true
            return false
        }
        // The first piece is mostly the whole.
        if body.isEmpty { body = Array(bytes) } else { body.append(contentsOf: bytes) }
        return true
    }

    /// Takes one line of a head, status line and empty line included; `false`: it is too large. Lines after the head
    /// are trailers: left out.
    mutating func takeLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headSize += bytes.count
        guard headSize <= CurlSettings.headCap, lines.count < CurlSettings.linesCap else {
            isTooLarge = true
            return false
        }
        var end = 0
        while end < bytes.count, bytes[end] != 0x0D, bytes[end] != 0x0A { end += 1 }
        let line = UnsafeRawBufferPointer(rebasing: bytes[..<end])
        if isHeadOver || lines.isEmpty, line.starts(with: "HTTP/".utf8) {
            (lines, isHeadOver) = ([], false)
            lines.reserveCapacity(8)
        } else if line.isEmpty {
            isHeadOver = true
        } else if !isHeadOver {
            takeField(line)
        }
        return true
    }

    private mutating func takeField(_ line: UnsafeRawBufferPointer) {
        if Self.isBlank(line[0]), let last = lines.indices.last {
            // A folded line goes on with one space (RFC 9112, section 5.2).
            lines[last].value += " " + Self.text(line, 0, line.count)
            return
        }
        var colon = 0
        while colon < line.count, line[colon] != 0x3A { colon += 1 }
        guard colon < line.count else { return }
        lines.append((Self.text(line, 0, colon), Self.text(line, colon + 1, line.count)))
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func text(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> String {
        var (start, end) = (start, end)
        while start < end, isBlank(bytes[start]) { start += 1 }
        while start < end, isBlank(bytes[end - 1]) { end -= 1 }
        return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
    }
}
