import Latchkey
import LatchkeyCrypto

/// The key of the installation, and what is made with it.
struct AuditKeys: Sendable {
    static let size = 32
    /// The hexadecimal digits of a line's code: 128 bits.
    static let codeLength = 32

    private let chain: [UInt8]
    private let identifiers: [UInt8]

    init(_ key: [UInt8]) {
        chain = KeyedHash.code(for: Array("latchkey audit chain".utf8), key: key)
        identifiers = KeyedHash.code(for: Array("latchkey audit identifier".utf8), key: key)
    }

    /// What an identifier is hashed for. Two kinds never hash alike.
    enum Kind: String {
        case person = "a"
        case device = "d"
        case provider = "p"
        case boot = "b"
    }

    /// The code of a line, as text.
    func code(of body: ArraySlice<UInt8>) -> String {
        Self.hexadecimal(KeyedHash.code(for: Array(body), key: chain).prefix(Self.codeLength / 2))
    }

    /// 96 bits of the identifier's keyed hash, with the letter of its kind before it.
    func identifier(_ kind: Kind, _ text: String) -> String {
        let code = KeyedHash.code(for: Array("\(kind.rawValue) \(text)".utf8), key: identifiers)
        return "\(kind.rawValue)-\(Self.hexadecimal(code.prefix(12)))"
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
        return String(decoding: bytes.flatMap { [digit($0 >> 4), digit($0 & 15)] }, as: UTF8.self)
    }
}
