import CQrencode

/// A QR code in half-block characters: two modules a character, with the quiet zone of four that ISO/IEC 18004 asks
/// for.
struct QRPicture {
    static let quietZone = 4
    /// More would not fit a screen, and no address is as long.
    static let textCap = 800

    /// Modules a side, without the quiet zone.
    let side: Int
    private let dark: [Bool]

    /// `nil` when `text` is too long or has a zero byte.
    init?(_ text: String) {
        guard text.utf8.count <= Self.textCap, !text.utf8.contains(0),
            let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L)
        else { return nil }
        defer { QRcode_free(code) }
        side = Int(code.pointee.width)
        dark = UnsafeBufferPointer(start: code.pointee.data, count: side * side).map { $0 & 1 == 1 }
    }

    /// Columns that the picture takes.
    var columns: Int { side + 2 * Self.quietZone }
    /// Lines that the picture takes.
    var rows: Int { (columns + 1) / 2 }

    /// The picture, black on white by its own colours, because a terminal may be either way round.
    var lines: [String] {
        (0..<rows).map { row in
            let cells = (0..<columns).map { column in
                switch (isDark(column, 2 * row), isDark(column, 2 * row + 1)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            return "\u{1B}[30;47m\(cells.joined())\u{1B}[0m"
        }
    }

    private func isDark(_ column: Int, _ row: Int) -> Bool {
        let (x, y) = (column - Self.quietZone, row - Self.quietZone)
        guard (0..<side).contains(x), (0..<side).contains(y) else { return false }
        return dark[y * side + x]
    }
}
