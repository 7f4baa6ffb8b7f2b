import CQrencode
import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Testing

@testable import LatchkeyTerminal

@Suite("QR picture")
struct QRPictureTests {
    /// The modules that a picture shows, read back from its characters.
    static func modules(_ picture: QRPicture) -> [[Bool]] {
        (picture.lines(.coloured) ?? []).flatMap { line -> [[Bool]] in
            let cells = line.dropFirst("\u{1B}[30;47m".count).dropLast("\u{1B}[0m".count)
            return [cells.map { "█▀".contains($0) }, cells.map { "█▄".contains($0) }]
        }
    }

    @Test(
        "The picture is the encoder's matrix in a quiet zone of four",
        arguments: ["a", "https://id.example/?c=ABCD-EFGH"])
    func matrix(text: String) throws {
        let picture = try #require(QRPicture(text))
        let code = try #require(shim_qr_encode(text, 0, QR_ECLEVEL_L))
        defer { shim_qr_free(code) }
        let side = Int(code.pointee.width)
        let shown = Self.modules(picture)
        #expect(shown.allSatisfy { $0.count == side + 8 })
        for (y, row) in shown.enumerated() {
            for (x, isDark) in row.enumerated() {
                let isInside = (4..<(side + 4)).contains(x) && (4..<(side + 4)).contains(y)
                #expect(isDark == (isInside && code.pointee.data[(y - 4) * side + x - 4] & 1 == 1))
            }
        }
        // The finder pattern's corner (ISO/IEC 18004, section 6.3.3).
        #expect(shown[4][4..<12].map { $0 } == [true, true, true, true, true, true, true, false])
    }

    @Test("Without colours it shows the reverse and controls nothing, and a dumb terminal gets none")
    func looks() throws {
        let picture = try #require(QRPicture("https://id.example/?c=ABCD-EFGH"))
        let plain = try #require(picture.lines(.plain))
        let light = plain.flatMap { [$0.map { "█▀".contains($0) }, $0.map { "█▄".contains($0) }] }
        #expect(light == Self.modules(picture).map { $0.map { !$0 } })
        #expect(plain.joined().allSatisfy { "█▀▄ ".contains($0) })
        #expect(picture.lines(.lines) == nil)
    }

    @Test(
        "The environment says what a terminal may be sent",
        arguments: [
            ([:], TerminalLook.coloured), (["TERM": "xterm"], .coloured), (["NO_COLOR": "1"], .plain),
            (["NO_COLOR": ""], .coloured), (["TERM": "dumb"], .lines), (["TERM": "dumb", "NO_COLOR": "1"], .lines),
        ])
    func environment(environment: [String: String], look: TerminalLook) {
        #expect(TerminalLook(environment: environment) == look)
    }

    @Test("What is too long for a picture, or holds a zero, has none")
    func none() {
        #expect(QRPicture(String(repeating: "a", count: 801)) == nil)
        #expect(QRPicture("a\0b") == nil)
        #expect(QRPicture("") == nil)
    }

    @Test("A narrow terminal gets no picture, and still the code")
    func narrow() async throws {
        for (columns, isShown) in [(32, false), (100, true)] {
            let terminal = ScriptedTerminal([], columns: columns)
            let task = Task {
                try await TerminalPresenterTests.answer(
                    .device(.init(userCode: "AB\u{1B}c", at: "https://id.example/d")), terminal)
            }
            while !terminal.shown.withLock({ $0.contains("Waiting") }) { await Task.yield() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            let shown = terminal.shown.withLock { $0 }
            #expect(shown.contains("▀") == isShown)
            #expect(shown.contains("    AB\u{FFFD}c\n"))
        }
    }
}
