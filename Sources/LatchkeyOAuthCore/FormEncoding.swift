import LatchkeyJSON

/// The form encoding of [RFC 6749, appendix B](https://www.rfc-editor.org/rfc/rfc6749#appendix-B).
///
/// This is the only encoder for bodies, for queries that are built here and for Basic
/// authentication. It escapes everything except `A-Z a-z 0-9 * - . _`, so no `+` in a code or token
/// can become a space on its way.
public enum FormEncoding {
    /// The most bytes that ``decode(_:)`` accepts.
    public static let longest = 65_536
    /// The most parameters that ``decode(_:)`` accepts.
    public static let mostPairs = 256

    /// Encodes one name or value, with a space as `+`.
    public static func encode(_ text: String) -> String { encode(text, space: [0x2B]) }

    /// Encodes one name or value, with a space as `%20`. Every form decoder reads it, and so do
    /// decoders that know only percent-encoding, as many readers of Basic credentials do.
    static func encodeWithoutPlus(_ text: String) -> String { encode(text, space: Array("%20".utf8)) }

    private static func encode(_ text: String, space: [UInt8]) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if isPlain(byte) {
                bytes.append(byte)
            } else if byte == 0x20 {
                bytes += space
            } else {
                bytes += [0x25, digit(byte >> 4), digit(byte & 15)]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Encodes all parameters, joined by `&`.
    public static func encode(_ parameters: FormParameters) -> String {
        parameters.pairs.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
    }

    /// Decodes a query or body. Duplicates are kept, in order.
    ///
    /// - Returns: The parameters; `nil` for a broken escape, for bytes that are not UTF-8 or not
    ///   visible ASCII, for more than 64 combining marks in a row, and beyond the limits.
    public static func decode(_ text: some StringProtocol) -> FormParameters? {
        guard text.utf8.count <= longest else { return nil }
        let parts = text.utf8.split(separator: 0x26, maxSplits: mostPairs, omittingEmptySubsequences: true)
        guard parts.count <= mostPairs else { return nil }
        var parameters = FormParameters()
        for part in parts {
            let sides = part.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = unescape(sides[0]), let value = unescape(sides.dropFirst().first ?? part.prefix(0)) else {
                return nil
            }
            parameters.add(name, value)
        }
        return parameters
    }

    private static func unescape(_ escaped: some Collection<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = escaped.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case 0x2B: bytes.append(0x20)
            case 0x25:
                guard let high = rest.next().flatMap(value), let low = rest.next().flatMap(value) else { return nil }
                bytes.append(high << 4 | low)
            case 0x21...0x7E: bytes.append(byte)
            default: return nil
            }
        }
        return String(validating: bytes, as: UTF8.self).flatMap { $0.hasEndlessMarks ? nil : $0 }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x37
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }
}
