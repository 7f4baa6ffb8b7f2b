public import Latchkey

/// Where a loopback redirect comes back to, as it is registered at a service: `http://127.0.0.1/callback`,
/// `http://localhost:8400`, `http://[::1]:9000/signed-in`.
public struct LoopbackRedirect: Hashable, Sendable {
    /// The host.
    public var host: LoopbackHost
    /// The port; `nil` for any free one. Services must accept any port of a loopback redirect (RFC 8252, section
    /// 7.3).
    public var port: UInt16?
    /// The path, as the service compares it; empty if the address ends with the host or the port.
    public var path: String

    /// Creates the address from a host, a port and a path.
    public init(host: LoopbackHost = .ipv4, port: UInt16? = nil, path: String = "/callback") {
        (self.host, self.port, self.path) = (host, port, path)
    }

    /// Reads an address.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)` if it is not http to this machine, or has user
    ///   information, a query or a fragment.
    public init(_ text: String) throws(AuthError) {
        guard let address = WebAddress(text), address.scheme == "http", address.query == nil, address.fragment == nil,
            let host = LoopbackHost.allCases.first(where: {
                $0.rawValue == address.host || $0.rawValue == "[\(address.host)]"
            }), Self.isPath(address.path)
        else {
            throw AuthError(
                .configuration(.invalid),
                "The redirect is not an address of this machine, such as http://127.0.0.1/callback or http://localhost."
            )
        }
        let authority = text.dropFirst("http://".count).prefix { $0 != "/" }
        self.init(host: host, port: authority.last == "]" ? nil : Self.port(of: authority), path: address.path)
    }

    private static func port(of authority: Substring) -> UInt16? {
        authority.lastIndex(of: ":").flatMap { UInt16(authority[authority.index(after: $0)...]) }
    }

    /// Whether a path may be listened at. It may be empty.
    static func isPath(_ path: String) -> Bool {
        (path.isEmpty || path.utf8.first == 0x2F)
            && path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3F && $0 != 0x23 }
    }
}

extension LoopbackRedirect: CustomStringConvertible {
    /// The address, as a service registers it. The port 80 is left out.
    public var description: String { "\(origin)\(path)" }

    /// Scheme, host and port.
    var origin: String { "http://\(authority)" }

    /// What a browser writes into the field `Host`.
    var authority: String { port.map { $0 == 80 ? host.rawValue : "\(host.rawValue):\($0)" } ?? host.rawValue }
}
