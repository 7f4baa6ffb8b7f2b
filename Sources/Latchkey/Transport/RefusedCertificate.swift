public import FoundationEssentials

/// A certificate that TLS refused, in its own words. Nothing of it is verified, so it only suits a message.
public struct RefusedCertificate: Hashable, Sendable {
    /// From when on it is valid.
    public var notBefore: Date?
    /// Until when it is valid.
    public var notAfter: Date?
    /// Some of the hosts and IP addresses that it is for (RFC 5280, section 4.2.1.6), in ASCII.
    public var hosts: [String]
    /// Whether it is an authority's, between the server's own and a trusted one.
    public var isAuthority: Bool

    /// Creates it.
    public init(
        notBefore: Date? = nil, notAfter: Date? = nil, hosts: [String] = [], isAuthority: Bool = false
    ) {
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.hosts = hosts
        self.isAuthority = isAuthority
    }
}
