import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

/// A message that asks for a sign-in with a wallet (EIP-4361, and what Solana made of it).
struct SupabaseWalletMessage {
    let domain: String
    let address: String
    let statement: String?
    let network: String?

    init?(_ text: String, chain: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let phrase = " wants you to sign in with your \(chain == "solana" ? "Solana" : "Ethereum") account:"
        guard lines.count > 1, lines[0].hasSuffix(phrase) else { return nil }
        domain = String(lines[0].dropLast(phrase.count))
        address = lines[1]
        statement = lines.count > 3 && lines[2].isEmpty && !lines[3].contains(": ") ? lines[3] : nil
        let mark = "Chain ID: "
        network = lines.first { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
    }
}

extension SupabaseState {
    /// Takes a message signed by a wallet.
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
        let signature = try body.string("signature") ?? ""
        guard let message = SupabaseWalletMessage(text, chain: chain) else {
            throw .oauth("invalid_grant", "The message does not ask for a sign-in with a wallet")
        }
        let isGenuine =
            chain == "solana"
            ? try isSolana(text, message, signature) : try isEthereum(text, message, signature)
        guard isGenuine else {
            throw .oauth("invalid_grant", "Signature does not match address in message")
        }
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

    private func isSolana(
        _ text: String, _ message: SupabaseWalletMessage, _ signature: String
    ) throws(SupabaseFailure) -> Bool {
        let decoded = (try? Base64URL.decode(signature)) ?? (try? Base64.decode(signature))
        guard let decoded, decoded.count == 64 else {
            throw .validation("signature is not 64 bytes in Base64")
        }
        guard let bytes = Base58.decode(message.address), let key = try? PublicKey(ed25519: bytes) else { return false }
        return (try? key.verify(signature: decoded, of: Array(text.utf8), algorithm: .edDSA)) ?? false
    }

    private func isEthereum(
        _ text: String, _ message: SupabaseWalletMessage, _ signature: String
    ) throws(SupabaseFailure) -> Bool {
        let digits = signature.hasPrefix("0x") ? String(signature.dropFirst(2)) : signature
        guard digits.utf8.count == 130, let bytes = Hex.decode(digits) else {
            throw .validation("signature is not 65 bytes in hexadecimal digits")
        }
        return EthereumSignature.signer(of: Array(text.utf8), signature: bytes) == message.address.lowercased()
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
