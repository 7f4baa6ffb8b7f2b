import LatchkeyCrypto
import LatchkeyJSON

/// A passkey on a device of the person.
struct ClerkPasskey: Sendable {
    var name = "Passkey"
    /// The challenge of its registration; `nil` once it is registered.
    var challenge: String?
    /// The device's identifier for it.
    var credential = ""
    var key: PublicKey?
}

/// Passkeys by WebAuthn level 3: the browser's signatures are checked as a relying party does, on the curve P-256.
extension ClerkState {
    static func challenge() -> String { Base64URL.encode(SecureRandom.bytes(32)) }

    func requestOptions(_ challenge: String, of person: ClerkPerson?) -> JSON {
        let allowed = person.map { $0.passkeys.values.map(\.credential).filter { !$0.isEmpty }.sorted() } ?? []
        return [
            "challenge": .string(challenge), "rpId": .string(settings.host), "timeout": 600_000,
            "userVerification": "required",
            "allowCredentials": .array(allowed.map { ["type": "public-key", "id": .string($0)] }),
        ]
    }

    /// Finds the person whose passkey signed `challenge`.
    func signer(_ call: ClerkCall, of challenge: String?) throws(ClerkRefusal) -> ClerkPerson {
        let credential = try credential(call, "webauthn.get", challenge)
        let response = credential["response"]
        guard let data = bytes(response?["authenticatorData"]), let client = bytes(response?["clientDataJSON"]),
            let signature = bytes(response?["signature"]).flatMap(Self.numbers), data.count >= 37,
            Array(data.prefix(32)) == Hash.digest(Array(settings.host.utf8)), data[32] & 0x05 == 0x05
        else { throw ClerkRefusal(422, "passkey_invalid_public_key_credential") }
        for person in people.values {
            for passkey in person.passkeys.values where passkey.credential == credential["id"]?.string {
                guard let key = passkey.key, passkey.challenge == nil,
                    (try? key.verify(signature: signature, of: data + Hash.digest(client), algorithm: .es256)) == true
                else { throw ClerkRefusal(401, "passkey_authentication_failure") }
                return person
            }
        }
        throw ClerkRefusal(422, "passkey_not_registered")
    }

    mutating func answerPasskey(
        _ call: ClerkCall, _ path: [String], _ person: ClerkPerson
    ) throws(ClerkRefusal) -> JSON {
        if call.method == "POST", path.count == 1 {
            let (id, challenge) = (Self.name("idn"), Self.challenge())
            people[person.id]?.passkeys[id] = ClerkPasskey(challenge: challenge)
            let options: JSON = [
                "rp": ["id": .string(settings.host), "name": "Latchkey"], "challenge": .string(challenge),
                "user": [
                    "id": .string(Base64URL.encode(Array(person.id.utf8))), "name": .string(person.email ?? person.id),
                    "displayName": .string(person.firstName ?? person.id),
                ],
                "pubKeyCredParams": [["type": "public-key", "alg": -7]], "timeout": 600_000,
            ]
            let nonce = String(decoding: options.serialized(), as: UTF8.self)
            let state = ClerkVerification(strategy: "passkey", nonce: nonce)
            guard case .object(var members) = object(ClerkPasskey(), id, person) else { return .null }
            members["verification"] = state.json
            return .object(members)
        }
        guard path.count > 1, var passkey = person.passkeys[path[1]] else {
            throw ClerkRefusal(404, "resource_not_found")
        }
        switch (call.method, path.dropFirst(2).first) {
        case ("POST", "attempt_verification"):
            let credential = try credential(call, "webauthn.create", passkey.challenge)
            guard let id = credential["id"]?.string, !id.isEmpty,
                let key = bytes(credential["response"]?["publicKey"]), key.count >= 65
            else { throw ClerkRefusal(422, "passkey_invalid_public_key_credential") }
            // The point is at the end of the SubjectPublicKeyInfo.
            let point = key.suffix(64)
            passkey.key = try? PublicKey(ec: .p256, x: Array(point.prefix(32)), y: Array(point.suffix(32)))
            guard passkey.key != nil else { throw ClerkRefusal(422, "passkey_invalid_public_key_credential") }
            (passkey.credential, passkey.challenge) = (id, nil)
        case ("GET", nil): break
        case ("PATCH", nil): passkey.name = try call.required("name")
        case ("DELETE", nil):
            people[person.id]?.passkeys[path[1]] = nil
            return deleted("passkey", path[1])
        default: throw ClerkRefusal(404, "resource_not_found")
        }
        people[person.id]?.passkeys[path[1]] = passkey
        return object(passkey, path[1], person)
    }

    func object(_ passkey: ClerkPasskey, _ id: String, _ person: ClerkPerson) -> JSON {
        let state = ClerkVerification(strategy: "passkey", status: passkey.challenge == nil ? "verified" : "unverified")
        return [
            "object": "passkey", "id": .string(id), "name": .string(passkey.name), "last_used_at": .null,
            "verification": state.json, "created_at": time(person.createdAt), "updated_at": time(person.updatedAt),
        ]
    }

    /// Returns the credential if it answers `challenge` and has the expected type.
    private func credential(
        _ call: ClerkCall, _ type: String, _ challenge: String?
    ) throws(ClerkRefusal) -> JSON {
        guard let challenge else { throw ClerkRefusal(400, "verification_missing") }
        guard let credential = try? JSON.parse(Array(call.required("public_key_credential").utf8)),
            let client = bytes(credential["response"]?["clientDataJSON"]).flatMap({ try? JSON.parse($0) }),
            client["type"]?.string == type, client["challenge"]?.string == challenge,
            client["origin"]?.string == "https://\(settings.host)"
        else { throw ClerkRefusal(422, "passkey_invalid_public_key_credential") }
        return credential
    }

    private func bytes(_ text: JSON?) -> [UInt8]? {
        text?.string.flatMap { try? Base64URL.decode(Array($0.utf8)[...]) }
    }

    /// Returns r and s of an ECDSA signature in DER, each padded to the size of the curve.
    private static func numbers(_ der: [UInt8]) -> [UInt8]? {
        guard der.count >= 8, der.count <= 72, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
        var rest = der.dropFirst(2)
        var both: [UInt8] = []
        for _ in 0..<2 {
            guard rest.popFirst() == 0x02, let length = rest.popFirst(), length >= 1, rest.count >= length else {
                return nil
            }
            let number = rest.prefix(Int(length)).drop { $0 == 0 }
            rest = rest.dropFirst(Int(length))
            guard number.count <= 32 else { return nil }
            both += [UInt8](repeating: 0, count: 32 - number.count) + number
        }
        return rest.isEmpty ? both : nil
    }
}
