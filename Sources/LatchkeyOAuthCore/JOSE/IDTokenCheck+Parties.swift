import Latchkey

/// Who made the token, and for whom.
extension IDTokenCheck {
    /// Whether `issuer` is the one that is expected, or that of the token's own tenant.
    func isExpected(_ issuer: String) throws(JOSEError) -> Bool {
        guard let template = rules.issuerTemplate else { return issuer.hasSameBytes(as: rules.issuer) }
        guard let tenant = try text(Claim.tenant) else { return false }
        return template.issuer(of: tenant).map(issuer.hasSameBytes) ?? false
    }

    /// Refuses a key that is for the tokens of another issuer.
    func key(_ key: JSONWebKey) throws(JOSEError) {
        guard let template = rules.tenantKeys, let written = key.issuer else { return }
        let tenant = try text(Claim.tenant)
        let expected = tenant.flatMap { template.issuer(of: $0, in: written) } ?? written
        guard try text(Claim.issuer).map(expected.hasSameBytes) ?? false else {
            throw JOSEError(.issuer, "the key that signed the ID token is for another issuer")
        }
    }

    /// Whether the token may name this audience beside the client.
    func isTrusted(_ name: String) -> Bool { rules.trustedAudiences.contains { $0.hasSameBytes(as: name) } }

    /// The audience, or another name, if it looks like an id or an address. It is foreign text.
    static func shown(_ name: String, _ other: String = "an audience whose name cannot be shown") -> String {
        let isPlain = { (byte: UInt8) in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || "._:/@-~".utf8.contains(byte)
        }
        guard (1...128).contains(name.utf8.count), name.utf8.allSatisfy(isPlain) else {
            return other
        }
        return "\"\(name)\""
    }
}
