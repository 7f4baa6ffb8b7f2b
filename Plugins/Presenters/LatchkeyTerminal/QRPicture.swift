import CQrencode

/// A QR code in half-block characters: each shows two modules. It includes the quiet zone of four modules that
/// ISO/IEC 18004 requires.
struct QRPicture {
    static let quietZone = 4
    /// The longest text. A longer one would not fit on a screen, and no address is that long.
    static let textCap = 800

    /// The modules per side, without the quiet zone.
    let side: Int
    private let dark: [Bool]

    /// Returns `nil` when `text` is too long or has a zero byte.
    init?(_ text: String) {
        guard text.utf8.count <= Self.textCap, !text.utf8.contains(0),
            let code = shim_qr_encode(text, 0, QR_ECLEVEL_L)
        else { return nil }
        defer { shim_qr_free(code) }
        side = Int(code.pointee.width)
        dark = UnsafeBufferPointer(start: code.pointee.data, count: side * side).map { $0 & 1 == 1 }
    }

    /// The picture's width in columns.
    var columns: Int { side + 2 * Self.quietZone }
    /// The picture's height in lines.
    var rows: Int { (columns + 1) / 2 }

    /// The picture in explicit colours, black on white, because a terminal may be dark or light.
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
