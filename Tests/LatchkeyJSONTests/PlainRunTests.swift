import Testing

@testable import LatchkeyJSON

@Suite("What stands for itself in a string")
struct PlainRunTests {
    private func isSpecial(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x22 || byte == 0x5C }

    @Test("ends at the first byte that must be looked at, whichever it is, wherever it stands, whatever is beside it")
    func everyByte() {
        for fill in [UInt8]([0x20, 0x21, 0x23, 0x5B, 0x5D, 0x61, 0x7F, 0x80, 0xA2, 0xDC, 0xFF]) {
            for place in 0..<24 {
                for byte in UInt8.min...UInt8.max {
                    var bytes = [UInt8](repeating: fill, count: 26)
                    bytes[place] = byte
                    // Another one behind it, next to it where a carry would go.
                    bytes[place + 1] = byte ^ 1
                    for start in [0, 1, place] where start <= place {
                        let end = bytes.withUnsafeBufferPointer { $0.endOfPlainRun(from: start) }
                        let wanted = bytes[start...].firstIndex(where: isSpecial) ?? bytes.count
                        if end != wanted { Issue.record("\(bytes) from \(start): \(end), not \(wanted)") }
                    }
                }
            }
        }
    }

    @Test("a byte beyond ASCII is seen wherever it stands", arguments: 0..<24)
    func ascii(place: Int) {
        var bytes = [UInt8](repeating: 0x7F, count: 24)
        #expect(bytes.withUnsafeBufferPointer(\.isASCII))
        bytes[place] = 0x80
        #expect(!bytes.withUnsafeBufferPointer(\.isASCII))
        #expect(bytes[..<place].withUnsafeBufferPointer(\.isASCII))
    }
}
