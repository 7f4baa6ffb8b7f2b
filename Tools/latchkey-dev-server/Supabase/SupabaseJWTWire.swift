import LatchkeyCrypto
import LatchkeyJSON

extension SupabaseState {
    /// Returns an access token for a session, and its end by the clock that the server shows.
    func accessToken(
        for session: SupabaseSession, of person: SupabasePerson
    ) throws(SupabaseFailure) -> (token: String, expires: Int64) {
        let issued = Int64(wall)
        var expires = issued + Int64(settings.accessTokenLifetime)
        if let limit = settings.lowLevelLimit, person.hasVerifiedFactor, !session.hasSecondFactor {
            expires = min(expires, Int64((session.createdAt + wall - now + limit).rounded(.up)))
        }
        let claims: [String: JSON] = [
            "iss": .string(issuer), "sub": .string(person.id), "aud": "authenticated", "exp": .integer(expires),
            "iat": .integer(issued), "email": .string(person.email), "phone": .string(person.phone),
            "app_metadata": .object(person.appMetadata), "user_metadata": .object(person.userMetadata),
            "role": .string(person.role), "aal": .string(session.level), "amr": .array(methods(of: session)),
            "session_id": .string(session.id), "is_anonymous": .bool(person.isAnonymous),
        ]
        guard let token = try? sign(.object(claims)) else { throw .unexpected }
        return (token, expires)
    }

    /// Returns the methods by which the person has signed in, newest first.
    private func methods(of session: SupabaseSession) -> [JSON] {
        session.methods.sorted { $0.at > $1.at }.map { method in
            ["method": .string(method.name), "timestamp": .integer(Int64(method.at))]
        }
    }

    /// Returns a key of the older format: a token with a role but no person, signed with the shared secret, for ten
    /// years.
    func legacyKey(role: String) -> String? {
        let claims: JSON = [
            "iss": "supabase", "ref": "development", "role": .string(role), "iat": .integer(Int64(wall)),
            "exp": .integer(Int64(wall) + 315_360_000),
        ]
        let secret = Array(settings.secret.utf8)
        return try? KeyRing.compact(["alg": "HS256", "typ": "JWT"], claims) { KeyedHash.code(for: $0, key: secret) }
    }

    private func sign(_ claims: JSON) throws -> String {
        switch settings.signing {
        case .es256:
            return try signers.sign(claims)
        case .hs256:
            let secret = Array(settings.secret.utf8)
            return try KeyRing.compact(["alg": "HS256", "typ": "JWT"], claims) { KeyedHash.code(for: $0, key: secret) }
        }
    }

    /// Returns the claims of an unexpired access token of this server.
    func claims(ofAccessToken token: String) throws(SupabaseFailure) -> JSON {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw Self.badToken("token is malformed: token contains an invalid number of segments")
        }
        guard let header = Self.document(parts[0]), let claims = Self.document(parts[1]),
            let signature = try? Base64URL.decode(parts[2])
        else { throw Self.badToken("token is malformed: could not decode it") }
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        let isGenuine =
            switch header["alg"]?.string {
            case "ES256":
                signers.entries.contains { entry in
                    entry.id == header["kid"]?.string
                        && (try? entry.key.publicKey.verify(
                            signature: signature, of: signed, algorithm: .es256)) ?? false
                }
            case "HS256": KeyedHash.isValid(signature, for: signed, key: Array(settings.secret.utf8))
            default: false
            }
        guard isGenuine else { throw Self.badToken("token signature is invalid") }
        guard let expires = claims["exp"]?.number, wall < expires else {
            throw Self.badToken("token has invalid claims: token is expired")
        }
        return claims
    }

    static func document(_ part: Substring) -> JSON? { (try? Base64URL.decode(part)).flatMap { try? JSON.parse($0) } }

    private static func badToken(_ reason: String) -> SupabaseFailure {
        SupabaseFailure(403, .badJWT, "invalid JWT: unable to parse or verify signature, \(reason)")
    }
}
