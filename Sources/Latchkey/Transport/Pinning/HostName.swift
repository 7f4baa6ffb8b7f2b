#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The one spelling of a host under which its pins are found, so that no other spelling gets around them.
struct HostName: Hashable {
    /// In lower case, without brackets and without a dot at the end.
    let text: String
    let isAddress: Bool

    /// Returns `nil` if `text` is neither an IP address nor a name of letters, digits, `-` and `_` (RFC 1123,
    /// section 2.1; many services use `_`).
    init?(_ text: String) {
        var text = String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        if text.hasPrefix("["), text.hasSuffix("]") { text = String(text.dropFirst().dropLast()) }
        if text.utf8.contains(UInt8(ascii: ":")) {
            guard let address = Self.address(text, AF_INET6) else { return nil }
            (self.text, isAddress) = (address, true)
            return
        }
        // A name with a dot at the end is the same host.
        if text.hasSuffix(".") { text.removeLast() }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 253, labels.allSatisfy(Self.isLabel), let last = labels.last else { return nil }
        // libcurl and browsers take whatever ends in a number for an address: `127.1`, `0x7f000001`.
        if last.allSatisfy(\.isNumber) || last.hasPrefix("0x") {
            guard let address = Self.address(text, AF_INET) else { return nil }
            (self.text, isAddress) = (address, true)
        } else {
            (self.text, isAddress) = (text, false)
        }
    }

    private init(parent: Substring) { (text, isAddress) = (String(parent), false) }

    /// The names above this one, the nearest first; none for an address.
    var parents: [HostName] {
        guard !isAddress else { return [] }
        var (parents, rest) = ([HostName](), text[...])
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            parents.append(HostName(parent: rest))
        }
        return parents
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && label.utf8.first != 0x2D && label.utf8.last != 0x2D
            && label.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F
            }
    }

    private static func address(_ text: String, _ family: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(family, text, &bytes) == 1 else { return nil }
        var written = [CChar](repeating: 0, count: 64)
        guard inet_ntop(family, bytes, &written, socklen_t(written.count)) != nil else { return nil }
        return String(decoding: written.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
