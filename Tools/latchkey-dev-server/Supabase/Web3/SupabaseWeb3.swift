import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

extension SupabaseState {
    /// Signs in with a message that a wallet has signed.
    mutating func web3Grant(_ call: SupabaseCall, note: inout Note) throws(SupabaseFailure) -> ServerResponse {
        guard settings.allowsWeb3 else {
            throw SupabaseFailure(422, .web3ProviderDisabled, "Web3 provider is disabled")
        }
        try limit(.web3, call)
        let body = try captchaBody(call)
        guard let chain = try body.string("chain"), chain == "solana" || chain == "ethereum" else {
            throw SupabaseFailure(400, .web3UnsupportedChain, "Unsupported chain")
        }
        guard let text = try body.string(SupabaseWire.message), (64...20_480).contains(text.utf8.count) else {
            throw .validation("message is too short or too long")
        }
        let signature = try signature(try body.string("signature") ?? "", chain)
        guard let message = SupabaseWalletMessage(text, chain: chain) else {
            throw .validation("The message is no request for a sign-in with a wallet")
        }
        let isGenuine =
            chain == "solana"
            ? isSolana(text, message, signature)
            : EthereumSignature.signer(of: Array(text.utf8), signature: signature) == message.address.lowercased()
        guard isGenuine else {
            throw .oauth("invalid_grant", "Signature does not match address in message")
        }
        try check(message)
        var claims: [String: JSON] = [
            "address": .string(message.address), "chain": .string(chain), "domain": .string(message.domain),
        ]
        claims["statement"] = message.statement.map(JSON.string)
        claims["network"] = message.network.map(JSON.string)
        let subject = "web3:\(chain):\(message.address)"
        let visit = SupabaseVisit(
            provider: "web3", subject: subject, email: nil, isVerified: false,
            data: [
                SupabaseWire.customClaims: .object(claims), SupabaseWire.emailVerified: .bool(false),
                SupabaseWire.phoneVerified: .bool(false), SupabaseWire.sub: .string(subject),
            ])
        var person = try arrive(visit, linking: nil)
        let session = begin(for: &person, by: "web3", agent: call.request.field("User-Agent"))
        note.family = session.serial
        return try answer(session, people[person.id] ?? person)
    }

    /// Returns the signature's bytes. Their number is checked before anything else.
    private func signature(_ text: String, _ chain: String) throws(SupabaseFailure) -> [UInt8] {
        guard chain == "solana" else {
            let digits = text.hasPrefix("0x") ? String(text.dropFirst(2)) : text
            guard digits.utf8.count == 130, let bytes = Hex.decode(digits) else {
                throw .validation("signature must be 65 bytes long, encoded as 130 hexadecimal digits")
            }
            return bytes
        }
        guard text.utf8.count == 86 || text.utf8.count == 88 else {
            throw .validation("signature must be 64 bytes encoded as base64 with or without padding")
        }
        let plain = text.replacing("+", with: "-").replacing("/", with: "_").prefix { $0 != "=" }
        guard let bytes = try? Base64URL.decode(plain) else {
            throw .validation("signature does not contain valid base64 characters")
        }
        return bytes
    }

    private func isSolana(_ text: String, _ message: SupabaseWalletMessage, _ signature: [UInt8]) -> Bool {
        guard signature.count == 64, let bytes = Base58.decode(message.address),
            let key = try? PublicKey(ed25519: bytes)
        else { return false }
        return (try? key.verify(signature: signature, of: Array(text.utf8), algorithm: .edDSA)) ?? false
    }

    /// Throws for a message that was signed for another site or is out of time.
    private func check(_ message: SupabaseWalletMessage) throws(SupabaseFailure) {
        let place = message.place
        guard place.scheme == "https" || place.host == "localhost" else {
            throw .oauth("invalid_grant", "The signed message is using URI which does not use HTTPS")
        }
        guard isAllowed(redirect: message.uri) else {
            throw .oauth("invalid_grant", "The signed message was signed for another app")
        }
        let host = place.host + (place.port.map { ":\($0)" } ?? "")
        guard place.host == "localhost" || host == message.domain && isAllowed(redirect: "https://\(message.domain)/")
        else {
            throw .oauth("invalid_grant", "The signed message names a domain that does not match its URI")
        }
        guard message.notBefore.map({ wall >= $0 }) ?? true, message.expires.map({ wall <= $0 }) ?? true else {
            throw .oauth("invalid_grant", "The signed message is not valid yet, or not any more")
        }
        guard abs(wall - message.issued) <= settings.walletMessageLifetime else {
            throw .oauth("invalid_grant", "The message was issued too long ago, or too far in the future")
        }
    }
}

/// The encoding of addresses in Solana.
enum Base58 {
    private static let letters = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)

    static func decode(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= 64 else { return nil }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            guard var carry = letters.firstIndex(of: byte) else { return nil }
            for index in bytes.indices.reversed() {
                carry += Int(bytes[index]) * 58
                bytes[index] = UInt8(carry & 0xFF)
                carry >>= 8
            }
            if carry > 0 { bytes.insert(UInt8(carry), at: 0) }
        }
        return [UInt8](repeating: 0, count: text.utf8.prefix { $0 == letters[0] }.count) + bytes
    }
}
