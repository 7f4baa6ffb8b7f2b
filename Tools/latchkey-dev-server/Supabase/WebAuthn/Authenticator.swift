import LatchkeyCrypto
public import LatchkeyJSON

extension DevServer {
    /// An authenticator for passkeys without a person, for tests and examples. It agrees to every request.
    ///
    /// It uses the JSON forms of Web Authentication, with ES256 and no attestation.
    public struct Authenticator: Sendable {
        private struct Passkey: Sendable {
            var id: [UInt8]
            var key: PrivateKey
            var relyingParty: String
            var user: String
            var count: UInt32
        }

        private var passkeys: [Passkey] = []
        /// The origin of the page or program that asks.
        public var origin: String

        /// Creates an authenticator without passkeys.
        public init(origin: String = "https://app.example.test") {
            self.origin = origin
        }

        /// Makes a passkey, and returns the `credential` for a service's creation options. Returns `nil` if the
        /// options have no relying party or no challenge.
        public mutating func create(_ options: JSON) -> JSON? {
            guard let challenge = options["challenge"]?.string, let party = options["rp"]?["id"]?.string,
                let user = options["user"]?["id"]?.string, let key = try? PrivateKey.generate(.p256),
                let point = key.publicKey.ecCoordinates
            else { return nil }
            let passkey = Passkey(id: SecureRandom.bytes(20), key: key, relyingParty: party, user: user, count: 0)
            passkeys.append(passkey)
            let cose = CBOR.map([
                .init(key: .integer(1), value: .integer(2)), .init(key: .integer(3), value: .integer(-7)),
                .init(key: .integer(-1), value: .integer(1)), .init(key: .integer(-2), value: .bytes(point.x)),
                .init(key: .integer(-3), value: .bytes(point.y)),
            ])
            let attested = [UInt8](repeating: 0, count: 16) + [0, UInt8(passkey.id.count)] + passkey.id + cose.encoded
            let attestation = CBOR.map([
                .init(key: .text("fmt"), value: .text("none")), .init(key: .text("attStmt"), value: .map([])),
                .init(key: .text("authData"), value: .bytes(data(passkey, flags: 0x45) + attested)),
            ])
            return answer(
                passkey,
                [
                    "clientDataJSON": .string(Base64URL.encode(client("webauthn.create", challenge))),
                    "attestationObject": .string(Base64URL.encode(attestation.encoded)), "transports": ["internal"],
                ])
        }

        /// Uses a passkey, and returns the `credential` for a service's request options. Returns `nil` if it has no
        /// passkey for them.
        public mutating func get(_ options: JSON) -> JSON? {
            let allowed = options["allowCredentials"]?.array?.compactMap { $0["id"]?.string }
            let found = passkeys.lastIndex { passkey in
                passkey.relyingParty == options["rpId"]?.string
                    && allowed.map { $0.contains(Base64URL.encode(passkey.id)) } ?? true
            }
            guard let challenge = options["challenge"]?.string, let found else { return nil }
            passkeys[found].count += 1
            let passkey = passkeys[found]
            let (data, client) = (data(passkey, flags: 0x05), client("webauthn.get", challenge))
            guard let signature = try? passkey.key.sign(data + Hash.digest(client), algorithm: .es256) else {
                return nil
            }
            return answer(
                passkey,
                [
                    "clientDataJSON": .string(Base64URL.encode(client)),
                    "authenticatorData": .string(Base64URL.encode(data)),
                    "signature": .string(Base64URL.encode(DERSignature.encode(signature))),
                    "userHandle": .string(passkey.user),
                ])
        }

        private func data(_ passkey: Passkey, flags: UInt8) -> [UInt8] {
            Hash.digest(Array(passkey.relyingParty.utf8)) + [flags]
                + (0..<4).map { UInt8(truncatingIfNeeded: passkey.count >> UInt32(24 - 8 * $0)) }
        }

        private func client(_ type: String, _ challenge: String) -> [UInt8] {
            JSON.object([
                "type": .string(type), "challenge": .string(challenge), "origin": .string(origin),
                "crossOrigin": .bool(false),
            ]).serialized()
        }

        private func answer(_ passkey: Passkey, _ response: [String: JSON]) -> JSON {
            let id = JSON.string(Base64URL.encode(passkey.id))
            return [
                "id": id, "rawId": id, "type": "public-key", "authenticatorAttachment": "platform",
                "clientExtensionResults": [:], "response": .object(response),
            ]
        }
    }
}
