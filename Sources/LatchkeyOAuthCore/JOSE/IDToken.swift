import FoundationEssentials
public import Latchkey
import LatchkeyCrypto
import LatchkeyJSON

/// Checks of ID tokens, OpenID Connect Core 1.0 section 2.
public enum IDToken {
    /// Checks an ID token by section 3.1.3.7, and by section 12.2 if ``IDTokenRules/prior`` is set.
    ///
    /// Call this for every ID token that you receive, from a code, a device, a refresh or an exchange alike.
    ///
    /// - Throws: ``JOSEError``; every rule has its own code, and a wrong time says by how many seconds.
    public static func validate(
        _ token: Secret, keys: JSONWebKeySet, rules: IDTokenRules
    ) throws(JOSEError) -> IDTokenClaims {
        let signed = try JSONWebSignature.verify(
            compact: token.reveal(), keys: keys, allowed: rules.algorithms)
        try checkType(signed.header)
        let check = IDTokenCheck(claims: try signed.claims(), rules: rules)
        try check.kind()
        try check.key(signed.key)
        try check.parties()
        try check.times()
        try check.binding(try signed.header.algorithm(rules.algorithms))
        try check.authentication()
        return try check.result()
    }

    /// Refuses a token whose `typ` names another kind of token (RFC 8725 section 3.11).
    static func checkType(_ header: JOSEHeader) throws(JOSEError) {
        guard var type = header.type?.lowercased() else { return }
        let prefix = "application/"
        if type.hasPrefix(prefix) { type.removeFirst(prefix.count) }
        guard !JOSEWire.foreignTypes.contains(type) else {
            throw JOSEError(.tokenType, "the header says that this is no ID token")
        }
    }
}
