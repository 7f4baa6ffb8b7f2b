import CBench
import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyOAuthCore

/// Measures the check of a whole ID token against the check of only its signature.
enum VerifyRows {
    static func row(_ name: String, _ key: PrivateKey, _ algorithm: SignatureAlgorithm, limit: Double) async throws
        -> Row
    {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let accessToken = Secret([UInt8](repeating: 0x61, count: 600))
        let claims: JSON = [
            "iss": "https://id.example.com/realms/staff", "sub": "8a5b2c1e-4f0d-4e9b-9c57-2f6a1c0de111",
            "aud": "web-app", "azp": "web-app", "exp": 1_800_003_600, "iat": 1_799_999_999, "auth_time": 1_799_999_990,
            "nonce": "n-0S6_WzA2Mj4XcVbNmAsDfGhJk", "sid": "c0a8d1f2-77aa-4c3b-8f10-5d2e9b6a7c88", "acr": "1",
            "at_hash": .string(TokenHash.leftHalf(of: accessToken, algorithm: algorithm)),
            "email": "alice@example.com", "email_verified": true, "name": "Alice Liddell",
            "preferred_username": "alice", "given_name": "Alice", "family_name": "Liddell",
        ]
        let compact = try JSONWebSignature.sign(
            claims.serialized(), header: ["kid": "key-2026-01", "typ": "JWT"], with: key, algorithm: algorithm)
        let keys = JSONWebKeySet([
            JSONWebKey(key.publicKey, keyID: "key-2026-01", algorithm: algorithm.rawValue, use: "sig")
        ])
        var rules = IDTokenRules(
            issuer: "https://id.example.com/realms/staff", clientID: "web-app", now: now,
            nonce: Secret("n-0S6_WzA2Mj4XcVbNmAsDfGhJk"))
        rules.accessToken = accessToken
        let fixedRules = rules
        let token = Secret(compact)
        let parts = compact.split(separator: ".")
        let message = Array((parts[0] + "." + parts[1]).utf8)
        let signature = try Base64URL.decode(parts[2])
        let verifier = cb_verifier_open(
            try key.publicKey.pem, message, message.count, signature, signature.count)
        guard let verifier else { throw BenchError.failed("the reference does not start") }
        defer { cb_verifier_close(verifier) }
        let times = try await Comparison(
            ours: { for _ in 0..<$0 { _ = try IDToken.validate(token, keys: keys, rules: fixedRules) } },
            reference: { count in
                guard cb_verify(verifier, Int32(count)) == 0 else { throw BenchError.failed("the signature is wrong") }
            })
        var row = Row(name, times, limit: limit)
        // The result of `openssl speed`, which Scripts/bench ran before.
        let figure = ProcessInfo.processInfo.environment["OPENSSL_SPEED_\(algorithm.rawValue.uppercased())"]
        if let figure { row.reference? += ",openssl-speed=\(figure)us" }
        return row
    }
}
