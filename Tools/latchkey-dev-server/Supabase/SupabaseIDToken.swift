import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

extension SupabaseState {
    private static var badToken: SupabaseFailure { .oauth("invalid request", "Bad ID token") }

    /// Signs in with the ID token of a provider. The only issuer is the other half of this server.
    mutating func idTokenGrant(
        _ call: SupabaseCall, clients: [String], note: inout Note
    ) throws(SupabaseFailure) -> ServerResponse {
        let body = try call.body()
        guard let token = try body.string(SupabaseWire.idToken) else {
            throw .oauth("invalid request", "id_token required")
        }
        let client = try body.string("client_id")
        let named = try body.string(SupabaseWire.provider)
        guard let provider = named ?? (client == nil ? nil : "keycloak") else {
            throw .oauth("invalid request", "provider or client_id and issuer required")
        }
        guard Self.tokenProviders.contains(provider) || provider.hasPrefix("custom:") else {
            throw .validation("Custom OIDC provider \"\(provider)\" not allowed")
        }
        guard settings.providers.contains(provider) else {
            throw SupabaseFailure(400, .providerDisabled, "Provider (issuer \"\(provider)\") is not enabled")
        }
        let linking: SupabasePerson?
        if try body.bool(SupabaseWire.linkIdentity) ?? false {
            guard call.keyRole != nil || call.request.count(ofField: "Authorization") > 0 else {
                throw .oauth("invalid request", "Linking requires a valid user session")
            }
            linking = try caller(call).person
        } else {
            linking = nil
        }
        let claims = try claims(ofIDToken: token, audiences: Set(clients + settings.audiences))
        try check(nonce: try body.string(SupabaseWire.nonce), against: claims[SupabaseWire.nonce]?.string)
        let visit = SupabaseVisit(provider: provider, idToken: claims)
        var person = try arrive(visit, linking: linking)
        let session = begin(for: &person, by: "oauth", agent: call.request.field("User-Agent"))
        note.family = session.serial
        var shown = people[person.id] ?? person
        // The answer to linking shows the identities from before it, as the service does.
        if let linking { shown.identities = linking.identities }
        return try answer(session, shown)
    }

    private static let tokenProviders = [
        "apple", "google", "azure", "facebook", "keycloak", "kakao", "vercel_marketplace", "snapchat",
    ]

    private func claims(ofIDToken token: String, audiences: Set<String>) throws(SupabaseFailure) -> JSON {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.document(parts[0]), let claims = Self.document(parts[1]),
            let signature = try? Base64URL.decode(parts[2]), header["alg"]?.string == issuers.algorithm.rawValue
        else { throw Self.badToken }
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        let isGenuine = issuers.entries.contains { entry in
            entry.id == header["kid"]?.string
                && (try? entry.key.publicKey.verify(
                    signature: signature, of: signed, algorithm: issuers.algorithm)) ?? false
        }
        let named = claims["aud"]?.array?.compactMap(\.string) ?? [claims["aud"]?.string].compactMap(\.self)
        guard isGenuine, claims["iss"]?.string == origin, !audiences.isDisjoint(with: named),
            let expires = claims["exp"]?.number, wall < expires, claims["sub"]?.string != nil
        else { throw Self.badToken }
        return claims
    }

    private func check(nonce: String?, against hashed: String?) throws(SupabaseFailure) {
        guard (nonce == nil) == (hashed == nil) else {
            throw .oauth(
                "invalid request", "Passed nonce and nonce in id_token should either both exist or not.")
        }
        guard let nonce, let hashed else { return }
        guard Hex.encode(Hash.digest(Array(nonce.utf8))) == hashed else {
            throw .oauth("invalid nonce", "Nonces mismatch")
        }
    }
}
