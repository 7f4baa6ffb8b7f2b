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

    /// Returns the picture in explicit colours, black on white, because a terminal may be dark or light. Without colours,
    /// its light modules are drawn, as on a dark terminal; most readers take the reverse too. `nil` for lines alone.
    func lines(_ look: TerminalLook) -> [String]? {
        switch look {
        case .coloured: (0..<rows).map { "\u{1B}[30;47m\(cells(of: $0, drawn: isDark))\u{1B}[0m" }
        case .plain: (0..<rows).map { cells(of: $0) { !isDark($0, $1) } }
        case .lines: nil
        }
    }

    private func cells(of row: Int, drawn: (Int, Int) -> Bool) -> String {
        (0..<columns).map { column in
            switch (drawn(column, 2 * row), drawn(column, 2 * row + 1)) {
            case (true, true): "█"
            case (true, false): "▀"
            case (false, true): "▄"
            case (false, false): " "
            }
        }.joined()
    }

    private func isDark(_ column: Int, _ row: Int) -> Bool {
        let (x, y) = (column - Self.quietZone, row - Self.quietZone)
        guard (0..<side).contains(x), (0..<side).contains(y) else { return false }
        return dark[y * side + x]
    }
}
