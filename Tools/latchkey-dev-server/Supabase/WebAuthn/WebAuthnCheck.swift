import LatchkeyCrypto
import LatchkeyJSON

/// The public key of an authenticator's credential.
struct SupabaseCredential: Sendable {
    /// The ID in Base64url.
    var id: String
    var key: PublicKey
    var transports: [JSON]
    var count: UInt32
}

/// A request to an authenticator.
struct WebAuthnRequest: Sendable {
    var challenge: String
    var relyingParty: String
    var origins: [String]
}

/// Checks the answers of authenticators (Web Authentication Level 3, sections 7.1 and 7.2), only with ES256.
enum WebAuthnCheck {
    /// Why an answer is refused.
    enum Failure: Error {
        /// The answer has not the required members.
        case unreadable
        /// The answer belongs to another request, or its signature is wrong.
        case wrong
    }

    /// Returns the credential that an authenticator made.
    static func created(_ answer: JSON, for request: WebAuthnRequest) throws(Failure) -> SupabaseCredential {
        let (id, response) = try parts(of: answer)
        guard let attestation = bytes(response["attestationObject"]), let client = bytes(response["clientDataJSON"]),
            let data = CBOR.read(attestation[...])?.value[.text("authData")]?.bytes
        else { throw .unreadable }
        try check(client, type: "webauthn.create", request)
        let count = try check(data, request)
        guard data[32] & 0x40 != 0, data.count > 55 else { throw .wrong }
        let length = Int(data[53]) << 8 | Int(data[54])
        guard data.count > 55 + length, Base64URL.encode(Array(data[55..<(55 + length)])) == id,
            let key = CBOR.read(data[(55 + length)...])?.value, key[.integer(3)] == .integer(-7),
            let x = key[.integer(-2)]?.bytes, let y = key[.integer(-3)]?.bytes,
            let publicKey = try? PublicKey(ec: .p256, x: x, y: y)
        else { throw .wrong }
        return SupabaseCredential(
            id: id, key: publicKey, transports: response["transports"]?.array ?? [], count: count)
    }

    /// Returns the ID of the credential in an answer to a sign-in.
    static func credential(of answer: JSON) throws(Failure) -> String { try parts(of: answer).id }

    /// Checks that an authenticator signed the request, and returns its counter.
    static func signed(
        _ answer: JSON, for request: WebAuthnRequest, by credential: SupabaseCredential
    ) throws(Failure) -> UInt32 {
        let (id, response) = try parts(of: answer)
        guard let data = bytes(response["authenticatorData"]), let client = bytes(response["clientDataJSON"]),
            let signature = bytes(response["signature"])
        else { throw .unreadable }
        try check(client, type: "webauthn.get", request)
        let count = try check(data, request)
        guard id == credential.id, let raw = DERSignature.raw(signature),
            (try? credential.key.verify(
                signature: raw, of: data + Hash.digest(client), algorithm: .es256)) ?? false
        else { throw .wrong }
        return count
    }

    private static func parts(of answer: JSON) throws(Failure) -> (id: String, response: JSON) {
        guard let id = answer["id"]?.string, answer["rawId"]?.string == id, answer["type"] == "public-key",
            let response = answer["response"], response.object != nil
        else { throw .unreadable }
        return (id, response)
    }

    private static func check(_ client: [UInt8], type: String, _ request: WebAuthnRequest) throws(Failure) {
        guard let data = try? JSON.parse(client) else { throw .unreadable }
        guard data["type"]?.string == type, data["challenge"]?.string == request.challenge,
            let origin = data["origin"]?.string, request.origins.contains(origin)
        else { throw .wrong }
    }

    /// Checks the relying party of an answer and that a person was present, and returns the counter.
    private static func check(_ data: [UInt8], _ request: WebAuthnRequest) throws(Failure) -> UInt32 {
        guard data.count >= 37 else { throw .unreadable }
        guard Array(data.prefix(32)) == Hash.digest(Array(request.relyingParty.utf8)), data[32] & 1 != 0 else {
            throw .wrong
        }
        return data[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func bytes(_ value: JSON?) -> [UInt8]? {
        value?.string.flatMap { try? Base64URL.decode($0) }
    }
}
