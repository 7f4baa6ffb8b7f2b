/// Collects one line from single bytes, with the editing keys of a terminal's own line mode.
struct LineEditor {
    enum Step: Equatable {
        /// Show these bytes and continue.
        case more([UInt8])
        case done, interrupted, end, suspend
    }

    static let cap = 64 << 10

    private(set) var bytes: [UInt8] = []
    private(set) var isTooLong = false
    private var escape = Escape.none

    private enum Escape { case none, begun, inside }

    mutating func take(_ byte: UInt8) -> Step {
        if skipsEscape(byte) { return .more([]) }
        switch byte {
        case 0x0A, 0x0D: return .done
        case 0x03: return .interrupted
        case 0x1A: return .suspend
        case 0x04: return bytes.isEmpty && !isTooLong ? .end : .more([])
        case 0x08, 0x7F: return .more(removeLast())
        case 0x15:
            var shown: [UInt8] = []
            while !bytes.isEmpty { shown += removeLast() }
            isTooLong = false
            return .more(shown)
        case 0x00...0x1F: return .more([])
        default:
            guard bytes.count < Self.cap else {
                isTooLong = true
                return .more([])
            }
            bytes.append(byte)
            return .more([byte])
        }
    }

    /// Skips the sequences (ECMA-48, section 5.4) of arrow keys and similar keys, which are not input.
    private mutating func skipsEscape(_ byte: UInt8) -> Bool {
        switch escape {
        case .none:
            guard byte == 0x1B else { return false }
            escape = .begun
        case .begun: escape = byte == 0x5B || byte == 0x4F ? .inside : .none
        case .inside: if (0x40...0x7E).contains(byte) || byte < 0x20 { escape = .none }
        }
        return true
    }

    /// Removes the last scalar, and returns the bytes that update the screen.
    private mutating func removeLast() -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        return [0x08, 0x20, 0x08]
    }
}
