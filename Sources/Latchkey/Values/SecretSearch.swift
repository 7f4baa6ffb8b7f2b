/// Looks for secrets, and for long parts of them, in a text that a service wrote.
///
/// A service may write what it was sent into its answer, whole, cut, split by other characters, or encoded. So texts are
/// compared without regard to case and by their letters and digits alone, and a secret of 20 of them or more is found by
/// any ten that stand in a row. What holds a space or an `@` is a name or a sentence, and is looked for as a whole.
/// Texts of fewer than four bytes are not looked for.
package struct SecretSearch: Sendable {
    private static let shortest = 4
    private static let part = 10
    private static let longFrom = 20

    private let wholes: [String]
    private let folded: [[UInt8]]
    private let long: [[UInt8]]

    /// Creates a search for `secrets`.
    package init(_ secrets: [String]) {
        wholes = secrets.filter { $0.utf8.count >= Self.shortest }
        let opaque = wholes.filter { !$0.contains(" ") && !$0.contains("@") }.flatMap(Self.words).map(Self.fold)
        folded = opaque.filter { (Self.part..<Self.longFrom).contains($0.count) }
        long = opaque.filter { $0.count >= Self.longFrom }
    }

    /// Whether a secret, or a long part of one, is in `text`.
    package func finds(in text: String) -> Bool {
        if wholes.contains(where: { text.contains($0) }) { return true }
        guard !folded.isEmpty || !long.isEmpty else { return false }
        // A character that is written as `%2E` adds two characters between those that count.
        return [Self.fold(text), Self.fold(Self.unescaped(text))].contains { holdsPart($0) }
    }

    /// The text itself, or the words of an address: its host and path are no secret, a ticket in it is one.
    private static func words(_ secret: String) -> [String] {
        guard secret.contains("://") else { return [secret] }
        return secret.split { "/?&=#:.".contains($0) }.map(String.init).filter { $0.utf8.count >= longFrom }
    }

    private func holdsPart(_ text: [UInt8]) -> Bool {
        if folded.contains(where: { text.count >= $0.count && text.firstRange(of: $0) != nil }) { return true }
        guard !long.isEmpty, text.count >= Self.part else { return false }
        let there = Set(Self.parts(of: text))
        return long.contains { Self.parts(of: $0).contains(where: there.contains) }
    }

    private static func parts(of text: [UInt8]) -> [ArraySlice<UInt8>] {
        (0...(text.count - part)).map { text[$0..<$0 + part] }
    }

    private static func fold(_ text: String) -> [UInt8] {
        text.utf8.compactMap { byte -> UInt8? in
            switch byte {
            case 0x30...0x39, 0x61...0x7A: byte
            case 0x41...0x5A: byte | 0x20
            default: nil
            }
        }
    }

    /// The text without the digits of its percent-encodings.
    private static func unescaped(_ text: String) -> String {
        var rest: [UInt8] = []
        var skipped = 0
        for byte in text.utf8 {
            if byte == UInt8(ascii: "%") { skipped = 3 }
            if skipped > 0 { skipped -= 1 } else { rest.append(byte) }
        }
        return String(decoding: rest, as: UTF8.self)
    }
}
