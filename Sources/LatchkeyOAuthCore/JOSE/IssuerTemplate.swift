import Latchkey

/// The issuers of a service with many tenants, such as Microsoft Entra: a text with a place for the tenant, which each ID
/// token fills with its own `tid`.
public struct IssuerTemplate: Hashable, Sendable {
    /// Where the tenant stands.
    public static let place = "{tenantid}"

    /// The text, with ``place`` in it once.
    public let text: String
    /// The only tenant whose tokens are accepted; `nil` for every tenant.
    public let tenant: String?

    /// Creates a template.
    public init(_ text: String, tenant: String? = nil) {
        self.text = text
        self.tenant = tenant
    }

    /// Returns the issuer of the tenant `name`; `nil` if that is no GUID, or not the only tenant there is.
    public func issuer(of name: String) -> String? { issuer(of: name, in: text) }

    /// Returns `written` for the tenant `name`. A text without a place for the tenant stays as it is.
    func issuer(of name: String, in written: String) -> String? {
        guard Self.isGUID(name), tenant.map({ $0.hasSameBytes(as: name) }) ?? true else { return nil }
        return written.replacing(Self.place, with: name, maxReplacements: 1)
    }

    /// Whether a discovery document may name this issuer.
    public func accepts(documentOf issuer: String) -> Bool {
        issuer.hasSameBytes(as: text) || tenant.flatMap(self.issuer(of:)).map(issuer.hasSameBytes) ?? false
    }

    /// Whether the text has the form 8-4-4-4-12 of hexadecimal digits, so that nothing else can get into the issuer.
    private static func isGUID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 36
            && bytes.enumerated().allSatisfy { place, byte in
                [8, 13, 18, 23].contains(place)
                    ? byte == UInt8(ascii: "-")
                    : (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
            }
    }
}
