/// A path on this server to go on at after a sign-in. Whoever makes a link chooses it, so it must not lead elsewhere.
struct LocalPath: Equatable, Sendable {
    /// The path with its query, percent-encoded.
    let text: String

    /// `nil` unless `text` is an absolute path of this origin, for every browser: `//host` and `/\host` name
    /// another one, and a browser drops tabs and line ends before it looks (URL Standard, section 4.4).
    init?(_ text: String) {
        guard text.utf8.count <= 2_048, text.utf8.first == UInt8(ascii: "/"),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }),
            !text.hasPrefix("//")
        else { return nil }
        self.text = text
    }
}
