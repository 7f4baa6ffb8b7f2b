import LatchkeyCrypto
import LatchkeyJSON
import Testing

@Suite("Base64")
struct Base64Tests {
    @Test("The vectors of RFC 4648 and RFC 7515 go both ways")
    func vectors() throws {
        for vector in try Vectors.list("base64url") {
            let bytes = try vector.bytes(hex: "hex")
            let url = try vector.text("base64url")
            #expect(Base64URL.encode(bytes) == url)
            #expect(try Base64URL.decode(url) == bytes)
            guard let standard = vector["base64"]?.string else { continue }
            #expect(Base64.encode(bytes) == standard)
            #expect(try Base64.decode(standard) == bytes)
        }
    }

    @Test("Every length and every byte survives")
    func roundTrips() throws {
        let all = (0...255).map { UInt8($0) }
        for length in 0...256 {
            let bytes = Array(all.prefix(length))
            #expect(try Base64URL.decode(Base64URL.encode(bytes)) == bytes)
            #expect(try Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }

    @Test(
        "Base64url refuses padding, white space, the other alphabet, a lone character and trailing bits",
        arguments: [
            "Zg==", "Zm8=", "Zg=", "=", "A", "AAAAA", "Zm9v ", " Zm9v", "Zm9v\n", "Zm 9v", "Zm+v", "Zm/v", "Zh", "Zm9",
            "Zm9vYh", "Zm9\u{0}", "Zm9é", "Zm9v.", "Ａm9v",
        ])
    func strictURL(text: String) {
        #expect(code { () throws(CryptoError) in try Base64URL.decode(text) } == .invalidEncoding)
    }

    @Test(
        "Base64 refuses missing or surplus padding, white space, the other alphabet and trailing bits",
        arguments: [
            "Zg", "Zg=", "Zm8", "Z===", "====", "=", "Zm9vZg", "Zm9v====", "Zg==Zm9v", "Zm8=\n", "Zm-v", "Zm_v", "Zh==",
            "Zm9=", "Zg=A", "Zm9v\r\n",
        ])
    func strictStandard(text: String) {
        #expect(code { () throws(CryptoError) in try Base64.decode(text) } == .invalidEncoding)
    }
}
