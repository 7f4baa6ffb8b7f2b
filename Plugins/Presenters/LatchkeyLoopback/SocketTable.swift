import LatchkeyHTTPServer

/// Reads the owner of a connection's other end from the kernel's socket tables, `/proc/net/tcp` and `tcp6`
/// (proc_pid_net(5)).
///
/// Each line has, in columns, the local and the remote address, the state, and later the user and the inode.
/// Addresses are 32-bit words, printed as numbers of the machine: 127.0.0.1 is `0100007F` on little-endian
/// machines, and `7F000001` on big-endian ones. Ports are plain numbers.
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

    /// The state of an established connection.
    private static let established = Array("01".utf8)

    private let local: [UInt8]
    private let remote: [UInt8]

    /// The users of the matching lines. More than one is not expected.
    private(set) var users: Set<UInt32> = []

    /// Looks for the peer's end of a connection, whose local address is the peer's.
    ///
    /// - Parameters:
    ///   - mapped: Looks for IPv4 addresses in the form of IPv6 sockets, `::ffff:127.0.0.1`.
    ///   - littleEndian: Whether the machine is little-endian.
    init(_ ends: ConnectionEnds, mapped: Bool, littleEndian: Bool = isLittleEndian) {
        local = Self.text(ends.peer, mapped, littleEndian)
        remote = Self.text(ends.own, mapped, littleEndian)
    }

    /// Reads one line. Ignores anything that is not a line of the table, and lines of other sockets.
    ///
    /// Only an open connection that a process holds counts. For one that was closed or is closing, the kernel shows
    /// user 0, so a program that closes at once would pass for root.
    mutating func read(line: some Sequence<UInt8>) {
        let columns = line.split(separator: UInt8(ascii: " "), maxSplits: Column.count, omittingEmptySubsequences: true)
        guard columns.count >= Column.count, columns[Column.local].elementsEqual(local),
            columns[Column.remote].elementsEqual(remote), columns[Column.state].elementsEqual(Self.established),
            let inode = Self.number(columns[Column.inode]), inode > 0,
            let user = Self.number(columns[Column.user]).flatMap({ UInt32(exactly: $0) })
        else { return }
        users.insert(user)
    }

    /// Parses a decimal number that has only digits.
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

    /// Whether this machine is little-endian.
    static let isLittleEndian = UInt16(1).littleEndian == 1
}
