/// Characters of header fields (RFC 9110, section 5.6.2).
enum HTTPSyntax {
    /// Whether `byte` may be part of a token.
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
