/// Bytes that never reach text by accident: tokens, codes, passwords, verifiers, keys, and whatever a person types or
/// a browser brings.
///
/// Printing, interpolating, mirroring and dumping give `<redacted>`. Not `Codable`, and not `Hashable`: equality is
/// offered in constant time only. Reading the content is explicit, so that a search for `reveal` finds every place.
public struct Secret: Sendable {
    private let bytes: [UInt8]

    /// Wraps `bytes`.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Wraps the UTF-8 bytes of `text`.
    public init(_ text: String) { bytes = Array(text.utf8) }

    /// The bytes. What receives them must not print them.
    public func reveal() -> [UInt8] { bytes }

    /// The bytes as text; invalid UTF-8 is replaced. What receives it must not print it.
    public func revealText() -> String { String(decoding: bytes, as: UTF8.self) }

    /// The number of bytes. Not secret.
    public var count: Int { bytes.count }

    /// Whether there are no bytes.
    public var isEmpty: Bool { bytes.isEmpty }
}

extension Secret: Equatable {
    /// Compares every byte, whatever the first difference is; only the lengths decide early.
    public static func == (first: Secret, second: Secret) -> Bool {
        guard first.bytes.count == second.bytes.count else { return false }
        var difference: UInt8 = 0
        for index in first.bytes.indices { difference |= first.bytes[index] ^ second.bytes[index] }
        return difference == 0
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `<redacted>`.
    public var description: String { "<redacted>" }

    /// Always `<redacted>`.
    public var debugDescription: String { "<redacted>" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
