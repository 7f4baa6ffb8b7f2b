import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

extension SupabaseState {
    /// Takes a message signed by a wallet, of Solana alone: Ethereum's curve is not among what this package can verify.
    mutating func web3Grant(_ call: SupabaseCall, note: inout Note) throws(SupabaseFailure) -> ServerResponse {
        guard settings.allowsWeb3 else {
            throw SupabaseFailure(422, .web3ProviderDisabled, "Web3 provider is disabled")
        }
        try limit(.web3, call)
        let body = try captchaBody(call)
        let chain = try body.string("chain")
        guard chain == "solana" else { throw SupabaseFailure(400, .web3UnsupportedChain, "Unsupported chain") }
        guard let message = try body.string(SupabaseWire.message), (64...20_480).contains(message.utf8.count) else {
            throw .validation("message is too short or too long")
        }
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
        guard let signature = Self.signature(try body.string("signature") ?? ""), signature.count == 64 else {
            throw .validation("signature is not 64 bytes in Base64")
        }
        let phrase = " wants you to sign in with your Solana account:"
        guard lines.count > 1, lines[0].hasSuffix(phrase), let key = Base58.decode(String(lines[1])), key.count == 32
        else { throw .oauth("invalid_grant", "The message is not one of Sign in with Solana") }
        let isGenuine =
            (try? PublicKey(ed25519: key).verify(signature: signature, of: Array(message.utf8), algorithm: .edDSA))
            ?? false
        guard isGenuine else {
            throw .oauth("invalid_grant", "Signature does not match address in message")
        }
        let claims: JSON = [
            "address": .string(String(lines[1])), "chain": "solana",
            "domain": .string(String(lines[0].dropLast(phrase.count))),
        ]
        let subject = "web3:solana:\(lines[1])"
        let visit = SupabaseVisit(
            provider: "web3", subject: subject, email: nil, isVerified: false,
            data: [
                SupabaseWire.customClaims: claims, SupabaseWire.emailVerified: .bool(false),
                SupabaseWire.phoneVerified: .bool(false), SupabaseWire.sub: .string(subject),
            ])
        var person = try arrive(visit, linking: nil)
        let session = begin(for: &person, by: "web3", agent: call.request.field("User-Agent"))
        note.family = session.serial
        return try answer(session, people[person.id] ?? person)
    }

    private static func signature(_ text: String) -> [UInt8]? {
        (try? Base64URL.decode(text)) ?? (try? Base64.decode(text))
    }
}

/// The notation of addresses in Solana.
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
