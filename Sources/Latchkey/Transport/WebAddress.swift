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
        var text = text
        guard let address = text.withUTF8({ WebAddress($0[...]) }) else { return nil }
        self = address
    }

    // Works on bytes: combining marks of other scripts may follow a delimiter. And every request with a token is
    // parsed here, so it must not copy more than the parts.
    private init?(_ text: Bytes) {
        guard text.count <= 65_536, text.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != 0x5C }),
            let colon = text.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(text[..<colon])
        else { return nil }
        scheme = Self.lowercased(text[..<colon])
        var rest = text[(colon + 1)...]
        fragment = Self.cut(&rest, from: UInt8(ascii: "#"))
        query = Self.cut(&rest, from: UInt8(ascii: "?"))
        guard rest.starts(with: "//".utf8) else {
            guard scheme != "http", scheme != "https" else { return nil }
            (host, port, path) = ("", nil, Self.text(rest))
            return
        }
        rest = rest.dropFirst(2)
        let slash = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        guard let place = Self.place(rest[..<slash]) else { return nil }
        host = Self.lowercased(place.host)
        port = place.port ?? (scheme == "https" ? 443 : scheme == "http" ? 80 : nil)
        path = Self.text(rest[slash...])
    }

    private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    /// Takes what follows the first `mark` off `rest`, and the mark too; `nil` without one.
    private static func cut(_ rest: inout Bytes, from mark: UInt8) -> String? {
        guard let place = rest.firstIndex(of: mark) else { return nil }
        defer { rest = rest[..<place] }
        return text(rest[(place + 1)...])
    }

    private static func isScheme(_ text: Bytes) -> Bool {
        guard let first = text.first, (0x61...0x7A).contains(lowercased(first)) else { return false }
        return text.allSatisfy {
            switch lowercased($0) {
            case 0x61...0x7A, 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
            default: false
            }
        }
    }

    private static func place(_ authority: Bytes) -> (host: Bytes, port: UInt16?)? {
        guard !authority.contains(UInt8(ascii: "@")) else { return nil }
        var host = authority
        var after = authority[authority.endIndex...]
        if host.first == UInt8(ascii: "[") {
            guard let end = host.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            after = host[(end + 1)...]
            host = host[(host.startIndex + 1)..<end]
            guard host.allSatisfy({ $0.isHexDigit || $0 == 0x3A || $0 == 0x2E }) else { return nil }
        } else if let colon = host.firstIndex(of: UInt8(ascii: ":")) {
            after = host[colon...]
            host = host[..<colon]
        }
        guard !host.isEmpty, host.allSatisfy({ $0 < 0x80 }) else { return nil }
        guard let first = after.first else { return (host, nil) }
        guard first == UInt8(ascii: ":"), let port = port(after.dropFirst()) else { return nil }
        return (host, port)
    }

    private static func port(_ digits: Bytes) -> UInt16? {
        guard (1...5).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let number = digits.reduce(0) { 10 * $0 + UInt32($1 - 0x30) }
        return number == 0 ? nil : UInt16(exactly: number)
    }

    private static func text(_ bytes: Bytes) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
    }

    /// Only for bytes that are ASCII.
    private static func lowercased(_ bytes: Bytes) -> String {
        String(unsafeUninitializedCapacity: bytes.count) { text in
            for (index, byte) in bytes.enumerated() { text[index] = lowercased(byte) }
            return bytes.count
        }
    }

    // ASCII only: Unicode lowercasing turns the Kelvin sign into a `k`, and so one host into another.
    private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}

extension WebAddress {
    /// Scheme, host and port, such as `https://id.example.com`. The scheme's default port is left out.
    public var origin: String {
        var text = scheme + "://"
        text += host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        guard let port, port != (scheme == "https" ? 443 : 80) else { return text }
        return "\(text):\(port)"
    }

    /// Whether the host is this machine, the only one that plain http may be used with: `::1`, an address of 127.0.0.0/8 in
    /// four numbers, `localhost`, or, but on Apple's systems, a name below it
    /// ([RFC 6761, section 6.3](https://www.rfc-editor.org/rfc/rfc6761#section-6.3)). libcurl asks no name server for one.
    public var isLoopback: Bool { ["::1", "localhost"].contains(host) || isInLoopbackNetwork || isBelowLocalhost }

    private var isInLoopbackNetwork: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in
                part.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8(part).map { "\($0)" == part } == true
            }
    }

    private var isBelowLocalhost: Bool {
        #if canImport(Darwin)
            return false
        #else
            let labels = host.split(separator: ".", omittingEmptySubsequences: false)
            return labels.count > 1 && labels.last == "localhost"
                && labels.allSatisfy { label in
                    !label.isEmpty
                        && label.utf8.allSatisfy {
                            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
                        }
                }
        #endif
    }

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
