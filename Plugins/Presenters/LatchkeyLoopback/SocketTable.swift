import LatchkeyHTTPServer

/// Reads whose a connection's other end is from the kernel's tables of sockets, `/proc/net/tcp` and `tcp6`
/// (proc_pid_net(5)).
///
/// A line has the local and the remote address, the state, and further on the user and the inode, each in a column of
/// its own. Addresses are 32-bit words that are printed as numbers of the machine: 127.0.0.1 is `0100007F` where the
/// lowest byte comes first, and `7F000001` where the highest does. Ports are plain numbers.
struct SocketTable {
    /// The columns of a line, counted from 0.
    private enum Column {
        static let local = 1
        static let remote = 2
        static let state = 3
        static let user = 7
        static let inode = 9
        static let count = 10
    }

    /// The state of a connection that is open both ways.
    private static let established = Array("01".utf8)

    private let local: [UInt8]
    private let remote: [UInt8]

    /// The users of the lines that were read; more than one is not to be expected.
    private(set) var users: Set<UInt32> = []

    /// Looks for the peer's end of a connection, which has the peer's address as its local one.
    ///
    /// - Parameters:
    ///   - mapped: Looks for IPv4 addresses as IPv6 sockets have them, `::ffff:127.0.0.1`.
    ///   - littleEndian: Whether the machine puts the lowest byte first.
    init(_ ends: ConnectionEnds, mapped: Bool, littleEndian: Bool = isLittleEndian) {
        local = Self.text(ends.peer, mapped, littleEndian)
        remote = Self.text(ends.own, mapped, littleEndian)
    }

    /// Takes one line. What is no line of the table, or another socket's, is passed over.
    ///
    /// Only an open connection that a process holds counts: of one that was closed, or waits for its end, the kernel
    /// says the user 0, so that whoever closes at once would pass for root.
    mutating func read(line: some Sequence<UInt8>) {
        let columns = line.split(separator: UInt8(ascii: " "), maxSplits: Column.count, omittingEmptySubsequences: true)
        guard columns.count >= Column.count, columns[Column.local].elementsEqual(local),
            columns[Column.remote].elementsEqual(remote), columns[Column.state].elementsEqual(Self.established),
            let inode = Self.number(columns[Column.inode]), inode > 0,
            let user = Self.number(columns[Column.user]).flatMap({ UInt32(exactly: $0) })
        else { return }
        users.insert(user)
    }

    /// A decimal number of digits alone.
    private static func number(_ text: ArraySlice<UInt8>) -> UInt64? {
        guard !text.isEmpty, text.count <= 20, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt64(String(decoding: text, as: UTF8.self))
    }

    private static func text(_ end: ConnectionEnds.End, _ mapped: Bool, _ littleEndian: Bool) -> [UInt8] {
        let prefix = mapped && end.address.count == 4 ? [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] : []
        let bytes = prefix + end.address
        let printed = stride(from: 0, to: bytes.count, by: 4).flatMap { start in
            let word = bytes[start..<min(start + 4, bytes.count)]
            return littleEndian ? Array(word.reversed()) : Array(word)
        }
        let port = [UInt8(end.port >> 8), UInt8(end.port & 0xFF)]
        return printed.flatMap(hexadecimal) + [UInt8(ascii: ":")] + port.flatMap(hexadecimal)
    }

    private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
        [byte >> 4, byte & 15].map { $0 < 10 ? 0x30 + $0 : 0x37 + $0 }
    }

    /// Whether this machine puts the lowest byte first.
    static let isLittleEndian = UInt16(1).littleEndian == 1
}
