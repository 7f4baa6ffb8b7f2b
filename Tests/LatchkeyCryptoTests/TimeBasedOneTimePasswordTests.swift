import LatchkeyCrypto
import Testing

@Suite("Codes of authenticator apps") struct TimeBasedOneTimePasswordTests {
    private static let seed = Array("12345678901234567890".utf8)
    private static let long = Array("1234567890123456789012345678901234567890123456789012345678901234".utf8)

    /// RFC 6238, appendix B.
    @Test(
        "the published values come out",
        arguments: [
            (59.0, "94287082", "46119246", "90693936"), (1_111_111_109, "07081804", "68084774", "25091201"),
            (1_111_111_111, "14050471", "67062674", "99943326"), (1_234_567_890, "89005924", "91819424", "93441116"),
            (2_000_000_000, "69279037", "90698825", "38618901"), (20_000_000_000, "65353130", "77737706", "47863826"),
        ])
    func published(_ time: Double, _ sha1: String, _ sha256: String, _ sha512: String) {
        #expect(TimeBasedOneTimePassword(key: Self.seed, digits: 8).code(at: time) == sha1)
        #expect(
            TimeBasedOneTimePassword(key: Array(Self.long.prefix(32)), algorithm: .sha256, digits: 8).code(at: time)
                == sha256)
        #expect(TimeBasedOneTimePassword(key: Self.long, algorithm: .sha512, digits: 8).code(at: time) == sha512)
        #expect(TimeBasedOneTimePassword(key: Self.seed).code(at: time) == String(sha1.suffix(6)))
    }

    @Test("a code is taken one step early or late, and not two")
    func tolerance() {
        let totp = TimeBasedOneTimePassword(key: Self.seed)
        let code = totp.code(at: 3_000)
        for (time, step) in [(2_969.0, nil), (2_970, 100), (3_000, 100), (3_059, 100), (3_060, nil)]
            as [(Double, UInt64?)]
        {
            #expect(totp.step(of: code, at: time) == step, "at \(time)")
        }
        #expect(totp.step(of: code, at: 3_030, tolerance: 0) == nil)
    }

    @Test("a code is taken once: neither its step nor an earlier one is taken again")
    func replayed() {
        let totp = TimeBasedOneTimePassword(key: Self.seed)
        #expect(totp.step(of: totp.code(of: 100), at: 3_000, after: 99) == 100)
        #expect(totp.step(of: totp.code(of: 100), at: 3_000, after: 100) == nil)
        #expect(totp.step(of: totp.code(of: 99), at: 3_000, after: 100) == nil)
    }

    @Test(
        "what is not the whole code is none",
        arguments: ["", "28708", "2870822", " 287082", "287082 ", "２８７０８２", "94287082"])
    func notTheCode(_ entered: String) {
        #expect(TimeBasedOneTimePassword(key: Self.seed).step(of: entered, at: 59) == nil)
    }

    @Test("a key is read as apps show it, and nothing else is a key")
    func keys() {
        #expect(TimeBasedOneTimePassword(base32: "gezd gnbv gy3t qojq GEZDGNBVGY3TQOJQ")?.key == Self.seed)
        #expect(TimeBasedOneTimePassword(key: Self.seed).base32 == "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
        #expect(
            TimeBasedOneTimePassword(key: [0xFF]).base32 == "74"
                && TimeBasedOneTimePassword(base32: "74======")?.key == [0xFF])
        for text in ["", "====", "not base 32!", "1", "8"] { #expect(TimeBasedOneTimePassword(base32: text) == nil) }
    }
}
