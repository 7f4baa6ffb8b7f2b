/// The parts of an absolute URL (RFC 3986), as far as security decisions need them. Strict: anything
/// that is not plainly a URL with scheme and host is `nil`. Its description shows only the origin.
public struct WebAddress: Hashable, Sendable {
    /// The scheme, in lower case.
    public let scheme: String
    /// The host: ASCII in lower case, without brackets. Empty for private-use schemes such as
    /// `com.example.app:/callback`.
    public let host: String
    /// The port as written, or the scheme's default.
    public let port: UInt16?
    /// The path, percent-encoded as written; empty when absent.
    public let path: String
    /// The query, percent-encoded as written, without `?`; `nil` when absent.
    public let query: String?
    /// The fragment, percent-encoded as written, without `#`; `nil` when absent.
    public let fragment: String?

    /// Parses `text`. `nil` for spaces, control characters, backslashes, user information, bad
    /// ports, a host that is not ASCII, or more than 65,536 bytes.
    public init?(_ text: String) {
        guard text.utf8.count <= 65_536, !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == 0x5C }),
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let scheme = Self.lowercased(text[..<colon])
        guard let first = scheme.utf8.first, (0x61...0x7A).contains(first),
            scheme.utf8.allSatisfy({
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
            })
        else { return nil }
        self.scheme = scheme
        // Searches bytes: combining marks of other scripts may follow a delimiter.
        var rest = text[text.utf8.index(after: colon)...]
        if let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#")) {
            fragment = String(rest[rest.utf8.index(after: hash)...])
            rest = rest[..<hash]
        } else {
            fragment = nil
        }
        if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
            query = String(rest[rest.utf8.index(after: mark)...])
            rest = rest[..<mark]
        } else {
            query = nil
        }
        guard rest.utf8.starts(with: "//".utf8) else {
            guard scheme != "http", scheme != "https" else { return nil }
            (host, port, path) = ("", nil, String(rest))
            return
        }
        rest = rest[rest.utf8.index(rest.startIndex, offsetBy: 2)...]
        let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        guard let place = Self.place(rest[..<slash], scheme: scheme) else { return nil }
        (host, port) = place
        path = String(rest[slash...])
    }

    private static func place(_ authority: Substring, scheme: String) -> (String, UInt16?)? {
        guard !authority.utf8.contains(UInt8(ascii: "@")) else { return nil }
        var host = authority
        var port: UInt16? = scheme == "https" ? 443 : scheme == "http" ? 80 : nil
        if host.utf8.first == UInt8(ascii: "[") {
            guard let end = host.utf8.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let after = host[host.utf8.index(after: end)...]
            guard after.isEmpty || after.utf8.first == UInt8(ascii: ":") else { return nil }
            if !after.isEmpty {
                guard let number = Self.port(after[after.utf8.index(after: after.startIndex)...]) else { return nil }
                port = number
            }
            host = host[host.utf8.index(after: host.startIndex)..<end]
            guard !host.isEmpty, host.utf8.allSatisfy({ $0.isHexDigit || $0 == 0x3A || $0 == 0x2E }) else { return nil }
        } else if let colon = host.utf8.firstIndex(of: UInt8(ascii: ":")) {
            guard let number = Self.port(host[host.utf8.index(after: colon)...]) else { return nil }
            port = number
            host = host[..<colon]
        }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        return (lowercased(host), port)
    }

    // ASCII only: Unicode lowercasing turns the Kelvin sign into a `k`, and so one host into another.
    private static func lowercased(_ text: Substring) -> String {
        String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    private static func port(_ digits: Substring) -> UInt16? {
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return UInt16(digits).flatMap { $0 == 0 ? nil : $0 }
    }
}

extension WebAddress {
    /// Scheme, host and port, such as `https://id.example.com`. The scheme's default port is left out.
    public var origin: String {
        let shownHost = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        guard let port, port != (scheme == "https" ? 443 : 80) else { return "\(scheme)://\(shownHost)" }
        return "\(scheme)://\(shownHost):\(port)"
    }

    /// Whether the host is `127.0.0.1`, `::1` or `localhost`, the only hosts that plain http may be used with.
    public var isLoopback: Bool { host == "127.0.0.1" || host == "::1" || host == "localhost" }

    /// Whether secrets may be sent to this address: https, or plain http to this machine.
    public var isSecure: Bool { scheme == "https" || (scheme == "http" && isLoopback) }
}

extension WebAddress: CustomStringConvertible, CustomReflectable {
    /// The origin only: a path or a query may contain a code or a `state`.
    public var description: String { origin }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        (0x30...0x39).contains(self) || (0x61...0x66).contains(self) || (0x41...0x46).contains(self)
    }
}
