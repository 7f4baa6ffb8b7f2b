import Latchkey

/// Identifies one write: the member, and the number of its write. Both count from 1.
struct Writing: Hashable, Sendable {
    var member: Int
    var count: Int
}

/// The content of a record: who wrote it, over what, and bytes that follow from both, so that any mixture shows.
struct WrittenValue: Sendable {
    /// The most bytes that are written: enough for a kill to hit the middle.
    static let largest = 400_000

    var writing: Writing
    /// What was there before; `nil` for nothing.
    var previous: Writing?
    var size: Int

    init(_ writing: Writing, over previous: Writing?, size: Int) {
        (self.writing, self.previous, self.size) = (writing, previous, size)
    }

    /// Reads a value from `bytes`; `nil` if they are not whole.
    init?(_ bytes: [UInt8]) {
        guard let end = bytes.prefix(200).firstIndex(of: 0x0A) else { return nil }
        let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
        let numbers = words.dropFirst().compactMap { Int($0) }
        guard words.count == 6, words[0] == "written", numbers.count == 5 else { return nil }
        self.init(
            Writing(member: numbers[0], count: numbers[1]),
            over: numbers[2] == 0 ? nil : Writing(member: numbers[2], count: numbers[3]), size: numbers[4])
        guard bytes.count == end + 1 + size, bytes[(end + 1)...].elementsEqual(filler()) else { return nil }
    }

    func bytes() -> [UInt8] {
        let numbers = [writing.member, writing.count, previous?.member ?? 0, previous?.count ?? 0, size]
        return Array("written \(numbers.map(String.init).joined(separator: " "))\n".utf8) + filler()
    }

    private func filler() -> [UInt8] {
        var random = SplitMix(seed: UInt64(writing.member) << 32 | UInt64(writing.count))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size + 8)
        while bytes.count < size {
            withUnsafeBytes(of: random.next().littleEndian) { bytes.append(contentsOf: $0) }
        }
        return Array(bytes.prefix(size))
    }
}
