import FoundationEssentials
import Latchkey
import LatchkeyOAuthCore
import Testing

@testable import LatchkeyJSON

/// Checks that the targets' own judgement can fail, because otherwise they would find nothing.
@Suite("Hostile input: the judges")
struct OracleTests {
    @Test(
        "a code is called wrong when the address, state, issuer or error beside it is",
        arguments: [
            "http://127.0.0.1:4604/cb?code=c&state=STATE&iss=ISS",
            "http://127.0.0.1:4603/cc?code=c&state=STATE&iss=ISS",
            "http://127.0.0.1:4603/cb?code=c&state=x&iss=ISS", "http://127.0.0.1:4603/cb?code=c&iss=ISS",
            "http://127.0.0.1:4603/cb?code=c&state=STATE&state=STATE&iss=ISS",
            "http://127.0.0.1:4603/cb?code=c&state=STATE&iss=https://evil.example",
            "http://127.0.0.1:4603/cb?code=c&state=STATE", "http://127.0.0.1:4603/cb?code=d&state=STATE&iss=ISS",
            "http://127.0.0.1:4603/cb?code=c&state=STATE&iss=ISS&error=access_denied",
            "https://127.0.0.1:4603/cb?code=c&state=STATE&iss=ISS", "http://127.0.0.1:4603?code=c&state=STATE&iss=ISS",
        ])
    func callback(pattern: String) throws {
        let transaction = CallbackOracle.transaction(redirect: CallbackOracle.redirects[0], namesIssuer: true)
        func address(_ pattern: String) -> String {
            pattern.replacing("STATE", with: FormEncoding.encode(transaction.state.revealText()))
                .replacing("ISS", with: FormEncoding.encode(transaction.issuer))
        }
        let good = address("http://127.0.0.1:4603/cb?code=c&state=STATE&iss=ISS")
        try CallbackOracle.demandGood(good, transaction, Secret("c"))
        #expect(throws: Disagreement.self) {
            try CallbackOracle.demandGood(address(pattern), transaction, Secret("c"))
        }
    }

    @Test(
        "claims are called wrong when one of them is",
        arguments: [
            ("iss", "https://id.example/\u{212A}\u{e9}"), ("aud", "app"), ("aud", ["app;K\u{e9}", "other"]),
            ("azp", "other"), ("sub", ""), ("sub", "\u{e9}"), ("exp", 1_795_175_000), ("iat", 1_795_177_000),
            ("nbf", 1_795_177_000), ("nonce", "n"), ("typ", "Bearer"), ("exp", nil),
        ] as [(String, JSON?)])
    func claims(name: String, value: JSON?) throws {
        var members: [String: JSON] = [
            "iss": .string(IDTokenOracle.issuer), "aud": .string(IDTokenOracle.client), "sub": "u",
            "exp": .number(IDTokenOracle.now + 60), "iat": .number(IDTokenOracle.now),
        ]
        let claims = try #require(IDTokenClaims(kept: .object(members)))
        try IDTokenOracle.demandGood(.object(members), IDTokenOracle.rules(0), claims)
        members[name] = value
        #expect(throws: Disagreement.self) {
            try IDTokenOracle.demandGood(.object(members), IDTokenOracle.rules(0), claims)
        }
    }

    @Test("a token that is not known is called forged, and a second signature of ECDSA is not")
    func tokens() throws {
        for token in KnownTokens.all { try FuzzTarget.demandKnown(Array(token.utf8)) }
        let signed = Array(KnownTokens.all[2].utf8)
        try FuzzTarget.demandKnown(signed.dropLast() + [signed[20]])
        for token in KnownTokens.all {
            #expect(throws: Disagreement.self) { try FuzzTarget.demandKnown([0x65] + Array(token.utf8)) }
        }
    }

    @Test("an error and a value that show a secret are found out, whatever the case")
    func secrets() throws {
        struct Leak: Error { var what = "token ZQ7!CANARY is wrong" }
        #expect(throws: Disagreement.self) { try Canary.demandHidden(Leak()) }
        #expect(throws: Disagreement.self) { try Canary.demandHidden(["x": Canary.text]) }
        #expect(throws: Disagreement.self) { _ = try Canary.outcome { () throws(Leak) in throw Leak() } }
        #expect(throws: Disagreement.self) { try Canary.demandHidden(String(repeating: "x", count: 9_000)) }
        try Canary.demandHidden(Secret(Canary.text))
        #expect(Canary.mark(["a": ["b", 1]]) == ["a": ["zq7!canaryb", 1]])
    }
}
