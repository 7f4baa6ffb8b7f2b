import LatchkeyCrypto
import LatchkeyJSON

/// The requests to authenticators, as on the wire.
enum WebAuthnOptions {
    static func challenge() -> String { Base64URL.encode(SecureRandom.bytes(32)) }

    static func creation(
        _ request: WebAuthnRequest, name: String, for person: SupabasePerson, excluded: [SupabaseCredential],
        selection: JSON
    ) -> [String: JSON] {
        let shown = person.email.isEmpty ? person.phone : person.email
        let algorithms: [Int64] = [-7, -35, -36, -257, -258, -259, -37, -38, -39, -8]
        var members: [String: JSON] = [
            "rp": ["name": .string(name), "id": .string(request.relyingParty)],
            "user": [
                "name": .string(shown), "displayName": .string(shown),
                "id": .string(Base64URL.encode(Array(person.id.utf8))),
            ],
            "challenge": .string(request.challenge),
            "pubKeyCredParams": .array(algorithms.map { ["type": "public-key", "alg": .integer($0)] }),
            "timeout": 300_000, "authenticatorSelection": selection,
        ]
        if !excluded.isEmpty {
            members["excludeCredentials"] = .array(
                excluded.map { ["type": "public-key", "id": .string($0.id)] })
        }
        return members
    }

    static func request(_ request: WebAuthnRequest, allowed: [SupabaseCredential]) -> [String: JSON] {
        var members: [String: JSON] = [
            "challenge": .string(request.challenge), "timeout": 300_000, "rpId": .string(request.relyingParty),
        ]
        if !allowed.isEmpty {
            members["allowCredentials"] = .array(
                allowed.map { ["type": "public-key", "id": .string($0.id), "transports": .array($0.transports)] })
        }
        return members
    }
}
