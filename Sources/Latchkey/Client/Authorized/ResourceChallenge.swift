/// What the challenges of a 401 ask for
/// ([RFC 9110, section 11.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1)), as far as a newer token could help.
enum ResourceChallenge {
    /// Schemes that take no token of an authorization server.
    private static let others = [
        "basic", "digest", "negotiate", "kerberos", "ntlm", "hoba", "mutual", "scram-sha-1", "scram-sha-256", "vapid",
    ]

    /// Whether a newer token would be refused as well: each challenge begins with a scheme that takes none, and nothing in
    /// them speaks of tokens; or a challenge says that the scope is what is missing (RFC 6750, section 3.1).
    ///
    /// Without a challenge, or with one of an unknown scheme, a newer token may help.
    static func wantsNoToken(_ response: TransportResponse) -> Bool {
        guard response.status == 401 else { return false }
        let lines = response.fields.all("WWW-Authenticate").prefix(16).map { String($0.prefix(8_192)).lowercased() }
        guard !lines.isEmpty else { return false }
        if lines.contains(where: { $0.filter { $0 != " " }.contains("error=\"insufficient_scope\"") }) { return true }
        return lines.allSatisfy { line in
            let scheme = line.drop { $0 == " " || $0 == "," || $0 == "\t" }.prefix { !" ,\t".contains($0) }
            return others.contains(String(scheme)) && !["bearer", "dpop", "token"].contains { line.contains($0) }
        }
    }
}
