import LatchkeyHTTPServer
import Proofs
import Testing

@testable import LatchkeyLoopback

@Suite("The kernel's table of sockets")
struct SocketTableTests {
    /// From 127.0.0.1:50000 to 127.0.0.1:8443.
    static let ends = ConnectionEnds(
        peer: .init(address: [127, 0, 0, 1], port: 50_000), own: .init(address: [127, 0, 0, 1], port: 8_443))
    /// The same over IPv6.
    static let six = ConnectionEnds(
        peer: .init(address: [UInt8](repeating: 0, count: 15) + [1], port: 50_000),
        own: .init(address: [UInt8](repeating: 0, count: 15) + [1], port: 8_443))

    static let zeros = String(repeating: "0", count: 24)

    static func line(
        _ local: String = "0100007F:C350", _ remote: String = "0100007F:20FB", state: String = "01",
        user: String = "1000", inode: String = "20834"
    ) -> String {
        "   5: \(local) \(remote) \(state) 00000000:00000000 00:00000000 00000000  \(user)        0 \(inode) 1 "
            + "0000000000000000 20 4 30 10 -1"
    }

    static func users(
        _ lines: [String], of ends: ConnectionEnds = ends, mapped: Bool = false, littleEndian: Bool = true
    ) -> Set<UInt32> {
        var table = SocketTable(ends, mapped: mapped, littleEndian: littleEndian)
        for line in lines { table.read(line: Array(line.utf8)) }
        return table.users
    }

    @Test("an open connection's user is found among other lines")
    func found() {
        let others = [
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
            Self.line("0100007F:20FB", "00000000:0000", state: "0A", user: "7"),
            // The listener's own end of the same connection.
            Self.line("0100007F:20FB", "0100007F:C350", user: "7"),
            Self.line("0100007F:C351", user: "7"), Self.line("0200007F:C350", user: "7"),
            Self.line("0100007F:C350", "0100007F:20FC", user: "7"),
        ]
        #expect(Self.users(others).isEmpty)
        #expect(Self.users(others + [Self.line()]) == [1_000])
        #expect(Self.users([Self.line(user: "0")]) == [0])
        #expect(Self.users([Self.line(user: "4294967294")]) == [4_294_967_294])
    }

    @Test("addresses are words of the machine, with the lowest byte first or last; ports are plain numbers")
    func byteOrder() {
        let big = Self.line("7F000001:C350", "7F000001:20FB")
        #expect(Self.users([big], littleEndian: false) == [1_000])
        #expect(Self.users([big], littleEndian: true).isEmpty)
        #expect(Self.users([Self.line()], littleEndian: false).isEmpty)
        let zeros = Self.zeros
        let (little6, big6) = ("\(zeros)01000000", "\(zeros)00000001")
        #expect(Self.users([Self.line("\(little6):C350", "\(little6):20FB")], of: Self.six, mapped: true) == [1_000])
        #expect(
            Self.users([Self.line("\(big6):C350", "\(big6):20FB")], of: Self.six, mapped: true, littleEndian: false)
                == [1_000])
    }

    @Test("a program that speaks IPv4 over a socket for IPv6 is found there")
    func mapped() {
        let little = "0000000000000000FFFF00000100007F"
        let big = "00000000000000000000FFFF7F000001"
        #expect(Self.users([Self.line("\(little):C350", "\(little):20FB")], mapped: true) == [1_000])
        #expect(
            Self.users([Self.line("\(big):C350", "\(big):20FB")], mapped: true, littleEndian: false) == [1_000])
        #expect(Self.users([Self.line("\(little):C350", "\(little):20FB")]).isEmpty)
    }

    @Test(
        "a connection that is closed, or that nobody holds any more, is nobody's: the kernel says root there",
        .standard(53),
        arguments: ["02", "03", "04", "05", "06", "07", "08", "09", "0A", "0B", "0C", "1", "001", ""])
    func states(state: String) {
        #expect(Self.users([Self.line(state: state, user: "0", inode: "0")]).isEmpty)
        #expect(Self.users([Self.line(state: state, user: "1000")]).isEmpty)
        #expect(Self.users([Self.line(user: "0", inode: "0")]).isEmpty)
    }

    @Test(
        "a line that cannot be read says nothing",
        arguments: [
            "", " ", ":", "0100007F:C350 0100007F:20FB 01",
            "   5: 0100007F:C350 0100007F:20FB 01 0:0 00:0 0  1000        0",
            line(user: "-1"), line(user: "1e3"), line(user: "4294967296"), line(user: "99999999999999999999999"),
            line(user: "0x0"), line(user: "+0"), line(inode: "-1"), line(inode: "x"), line(inode: "00"),
            line("0100007f:c350"), line("0100007F:0C350"), line("0100007F:50000"), line(" "), line("127.0.0.1:50000"),
            "\0" + line(), "5:\t0100007F:C350\t0100007F:20FB\t01\t0:0\t00:0\t0\t1000\t0\t20834",
        ])
    func hostile(line: String) {
        #expect(Self.users([line]).isEmpty)
    }

    @Test("lines of several users are all told")
    func several() {
        #expect(Self.users([Self.line(user: "1000"), Self.line(user: "1001")]) == [1_000, 1_001])
    }

    @Test(
        "this user and root are trusted, others are not; where nobody can tell, as the option says",
        arguments: [
            (ConnectionOwner.user(1_000), true, true), (.user(0), true, true), (.user(1_001), false, false),
            (.user(65_534), false, false), (.unknown, false, true),
        ])
    func trust(owner: ConnectionOwner, strictly: Bool, loosely: Bool) {
        #expect(owner.isTrusted(own: 1_000, allowingUnknown: false) == strictly)
        #expect(owner.isTrusted(own: 1_000, allowingUnknown: true) == loosely)
    }
}
