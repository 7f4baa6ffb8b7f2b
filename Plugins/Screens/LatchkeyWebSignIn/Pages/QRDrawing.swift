import CQrencode

/// A QR code as a drawing in the page, with the quiet zone of four modules that ISO/IEC 18004 requires. It is black on
/// white in both colour schemes, because not every scanner reads the reverse.
struct QRDrawing {
    private static let quietZone = 4
    /// The longest text. No address is that long.
    private static let textCap = 1_500

    private let side: Int
    private let dark: [Bool]

    /// Returns `nil` when `text` is too long or has a zero byte.
    init?(_ text: String) {
        guard text.utf8.count <= Self.textCap, !text.utf8.contains(0),
            let code = shim_qr_encode(text, 0, QR_ECLEVEL_M)
        else { return nil }
        defer { shim_qr_free(code) }
        side = Int(code.pointee.width)
        dark = UnsafeBufferPointer(start: code.pointee.data, count: side * side).map { $0 & 1 == 1 }
    }

    func html(title: String) -> String {
        let size = side + 2 * Self.quietZone
        return """
            <svg class="qr" role="img" aria-label="\(WebHTML.text(title))" viewBox="0 0 \(size) \(size)" \
            xmlns="http://www.w3.org/2000/svg" shape-rendering="crispEdges">\
            <rect width="\(size)" height="\(size)" fill="#fff"/><path fill="#000" d="\(path)"/></svg>
            """
    }

    /// One rectangle for each run of dark modules in a row.
    private var path: String {
        var path = ""
        for row in 0..<side {
            var column = 0
            while column < side {
                guard dark[row * side + column] else {
                    column += 1
                    continue
                }
                let start = column
                while column < side, dark[row * side + column] { column += 1 }
                let run = column - start
                path += "M\(start + Self.quietZone) \(row + Self.quietZone)h\(run)v1h-\(run)z"
            }
        }
        return path
    }
}
