import LatchkeyTesting

/// One thing that was written: by whom, and as which of its writings.
struct Identity: Hashable {
    var writer: Int
    var count: Int
}

/// What a record holds: who wrote it, over what, and bytes that follow from that, so that any mixture shows.
struct Value {
    var key: Int
    var identity: Identity
    /// What was there before; `nil`: nothing.
    var previous: Identity?
    var size: Int

    func bytes() -> [UInt8] {
        let numbers = [key, identity.writer, identity.count, previous?.writer ?? 0, previous?.count ?? 0, size]
        return Array("torture \(numbers.map(String.init).joined(separator: " "))\n".utf8) + filler()
    }

    /// `nil`: not whole.
    init?(_ bytes: [UInt8]) {
        guard let end = bytes.prefix(200).firstIndex(of: 0x0A) else { return nil }
        let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
        let numbers = words.dropFirst().compactMap { Int($0) }
        guard words.count == 7, words[0] == "torture", numbers.count == 6 else { return nil }
        self.init(
            key: numbers[0], identity: Identity(writer: numbers[1], count: numbers[2]),
            previous: numbers[3] == 0 ? nil : Identity(writer: numbers[3], count: numbers[4]), size: numbers[5])
        guard bytes.count == end + 1 + size, bytes[(end + 1)...].elementsEqual(filler()) else { return nil }
    }

    init(key: Int, identity: Identity, previous: Identity?, size: Int) {
        (self.key, self.identity, self.previous, self.size) = (key, identity, previous, size)
    }

    private func filler() -> [UInt8] {
        var random = SplitMix(seed: UInt64(identity.writer) << 32 | UInt64(identity.count))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size + 8)
        while bytes.count < size {
            withUnsafeBytes(of: random.next().littleEndian) { bytes.append(contentsOf: $0) }
        }
        return Array(bytes.prefix(size))
    }
}
