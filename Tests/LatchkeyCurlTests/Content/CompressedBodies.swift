import Latchkey
import LatchkeyCrypto
import Testing

@testable import LatchkeyCurl

/// Bodies that were compressed by zlib 1.2.13.
enum CompressedBodies {
    static let text =
        #"{"access_token":"at-1","token_type":"Bearer","expires_in":3600,"refresh_token":"rt-2","#
        + #""scope":"openid profile email offline_access"}"#
    static let words = """
        endpoint email keys state openid profile subject profile endpoint nonce openid subject token openid \
        profile keys keys profile token profile subject keys openid nonce profile token state state nonce op\
        enid nonce nonce keys openid token openid subject email issuer keys email subject profile nonce issu\
        er subject state email profile nonce nonce state token endpoint profile subject refresh profile nonc\
        e openid nonce token audience state subject keys scope endpoint audience nonce audience endpoint iss\
        uer token scope email refresh scope token profile nonce issuer subject audience endpoint refresh aud\
        ience issuer nonce profile profile subject keys email scope endpoint email audience keys openid stat
        """

    static let stored = decoded(
        "H4sIAAAAAAAAAwGEAHv/eyJhY2Nlc3NfdG9rZW4iOiJhdC0xIiwidG9rZW5fdHlwZSI6IkJlYXJlciIsImV4cGlyZXNfaW4iOjM2"
            + "MDAsInJlZnJlc2hfdG9rZW4iOiJydC0yIiwic2NvcGUiOiJvcGVuaWQgcHJvZmlsZSBlbWFpbCBvZmZsaW5lX2FjY2VzcyJ9I3UF"
            + "hYQAAAA=")
    static let fixed = decoded(
        "H4sIAAAAAAAAA6tWSkxOTi0uji/Jz07NU7JSSizRNVTSUQJz40sqC1KBYk6piUWpRUDR1IqCzKLU4vhMoEpjMwMDHaWi1DSgQAZc"
            + "e1GJrhFQYXFyPlgnkMzLTFEoKMpPy8xJVUjNTczMUchPS8vJzEuNh9isVAsAI3UFhYQAAAA=")
    /// ``words``.
    static let dynamic = decoded(
        "H4sIAAAAAAAAA21RQRLDIAj8il+zkUxtUs2IOfT3bV0hweTCDLC7sEApbDmm6ujt4+oW+rDj6iu5vFGKwW0lz3Elx/vjRVPVnISY"
            + "cpoULaiaF0qjRBNvQSqAjSMapHOhbvHYD9FMR4J4FjHbyBQYjsw7FaBRGY1CruOkieEgWCAi+pirlxp9FpoL8XMQMF6g4PcQ6ZA1"
            + "d+LpRzhmKBR8TRXQjfRLgtxsyDao2c/c3uCqLRLa6Qz7xNt399tbMyiq2vml/0t8ARzuM8G8AgAA")
    /// With every optional part of the head.
    static let wholeHead = decoded(
        "H4sIHwAAAAAAAwMAYWJjbmFtZQBhIGNvbW1lbnQAouw9jcEKgzAQRH8l7FnBtuDBY38khHSCS2MSNjko0n93idDLwDzeMCc571Gr"
            + "bfmLRAu5Nj5ooF5tOwqUveEEohR7YUG1rOZrnqaBBEHB+p9LG58qVp/7UjPxxxTJgSMMNsfR5BAiJ9j7mX4XI3UFhYQAAAA=")
    static let twoMembers = decoded(
        "H4sIAAAAAAAAA6tWSkxOTi0uji/Jz07NU7JSSizRNVTSUQJz40sqC1KBYk6piUWpRUDR1IqCTABTTT5WMgAAAB+LCAAAAAAAAAMN"
            + "yEEKgDAMBdGrlKwVioILL1NK/cFgbUrSrXe3m4E3Bk/S6NyPGBcysMHvNPTBnGRj3WghL9oxOdvkCt2UpSLgzVKDMldpSLkUuNP3"
            + "A+Z+3sFSAAAA")
    static let zerosAfterIt = decoded(
        "H4sIAAAAAAAAAz2NwQqDMBBEfyXsWcG24MFjfySEdIJLYxI2OSjSf3eJ0MvAPN4wJznvUatt+YtEC7k2PmigXm07CpS94QSiFHth"
            + "QbWs5muepoEEQcH6n0sbnypWn/tSM/HHFMmBIww2x9HkECIn2PuZfhcjdQWFhAAAAAAAAAA=")
    static let zlib = decoded(
        "eNo9jcEKgzAQRH8l7FnBtuDBY38khHSCS2MSNjko0n93idDLwDzeMCc571GrbfmLRAu5Nj5ooF5tOwqUveEEohR7YUG1rOZrnqaB"
            + "BEHB+p9LG58qVp/7UjPxxxTJgSMMNsfR5BAiJ9j7mX4XjTktQA==")
    static let raw = decoded(
        "PY3BCoMwEER/JexZwbbgwWN/JIR0gktjEjY5KNJ/d4nQy8A83jAnOe9Rq235i0QLuTY+aKBebTsKlL3hBKIUe2FBtazma56mgQRB"
            + "wfqfSxufKlaf+1Iz8ccUyYEjDDbH0eQQIifY+5l+Fw==")
    static let twice = decoded(
        "H4sIAAAAAAAAA5Pv5mAAA2bb3oNczQYCLvWqbyIPbntwMLlepaWkyTtZyMxS41J9eeeF0wds7hmoW74PXJ37s9uFe6eZXcaCuFxr"
            + "ril7H7IsEqlOdNy65ln2vGWNLI4Hf833lp6vFTb/d5Dxx+MiJxuVecyOX3wioKR+4/fMOnHlUtbWFqCVAP7iHuV8AAAA")

    private static func decoded(_ text: String) -> [UInt8] { (try? Base64.decode(text)) ?? [] }

    /// A gzip file that becomes `258 * copies + 1` zeros, 159 times as many bytes as it has.
    static func bomb(copies: Int) -> [UInt8] {
        // A last block with the fixed codes: a zero, the copies of length 258 and distance 1, and the end.
        var bits = BitWriter()
        bits.add(1, 1)
        bits.add(1, 2)
        bits.addCode(0b0011_0000, 8)
        for _ in 0..<copies {
            bits.addCode(0b1100_0101, 8)
            bits.addCode(0, 5)
        }
        bits.addCode(0, 7)
        let zeros = [UInt8](repeating: 0, count: 258 * copies + 1)
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + bits.bytes + word(crc(zeros)) + word(UInt32(zeros.count))
    }

    /// The checksum of RFC 1952, section 8.
    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        let table: [UInt32] = (0..<256).map { byte in
            (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
        }
        return ~bytes.reduce(UInt32.max) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
    }

    private static func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) } }

    private struct BitWriter {
        var bytes: [UInt8] = []
        var count = 0

        mutating func add(_ value: Int, _ size: Int) {
            for place in 0..<size {
                if count.isMultiple(of: 8) { bytes.append(0) }
                bytes[count / 8] |= UInt8(value >> place & 1) << UInt8(count % 8)
                count += 1
            }
        }

        /// Codes are written from their highest bit.
        mutating func addCode(_ value: Int, _ size: Int) {
            for place in (0..<size).reversed() { add(value >> place & 1, 1) }
        }
    }
}
