import Latchkey
import LatchkeyCrypto
import LatchkeyJSON

/// What a device does with a passkey, by WebAuthn level 3: keeps a key on P-256, and signs with it.
struct Authenticator {
    let id = Base64URL.encode(SecureRandom.bytes(16))
    let key: PrivateKey
    /// For whom it thinks that it signs.
    var host = "latchkey.clerk.accounts.dev"

    init() throws { key = try PrivateKey.generate(.p256) }

    /// The credential for the options that the service gave.
    func made(for options: JSON) throws -> Secret {
        guard let point = key.publicKey.ecCoordinates else { throw Missing() }
        // SubjectPublicKeyInfo of a point on P-256.
        let head: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
            0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
        ]
        return credential([
            "clientDataJSON": .string(Base64URL.encode(clientData("webauthn.create", options))),
            "publicKey": .string(Base64URL.encode(head + point.x + point.y)), "attestationObject": "oA",
        ])
    }

    func signed(for options: JSON) throws -> Secret {
        let client = clientData("webauthn.get", options)
        let data = Hash.digest(Array(host.utf8)) + [0x05, 0, 0, 0, 1]
        let signature = try key.sign(data + Hash.digest(client), algorithm: .es256)
        return credential([
            "clientDataJSON": .string(Base64URL.encode(client)), "authenticatorData": .string(Base64URL.encode(data)),
            "signature": .string(Base64URL.encode(der(signature))), "userHandle": .null,
        ])
    }

    private func clientData(_ type: String, _ options: JSON) -> [UInt8] {
        let data: JSON = [
            "type": .string(type), "challenge": options["challenge"] ?? .null, "origin": .string("https://\(host)"),
        ]
        return data.serialized()
    }

    private func credential(_ response: JSON) -> Secret {
        let whole: JSON = ["id": .string(id), "rawId": .string(id), "type": "public-key", "response": response]
        return Secret(whole.serialized())
    }

    private func der(_ both: [UInt8]) -> [UInt8] {
        let numbers = [both.prefix(32), both.suffix(32)].map { half -> [UInt8] in
            var number = Array(half.drop { $0 == 0 })
            if number.first.map({ $0 >= 0x80 }) ?? true { number.insert(0, at: 0) }
            return [0x02, UInt8(number.count)] + number
        }.flatMap(\.self)
        return [0x30, UInt8(numbers.count)] + numbers
    }
}
