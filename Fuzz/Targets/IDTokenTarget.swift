import FoundationEssentials
import Latchkey
import LatchkeyCrypto
@testable import LatchkeyJSON
@testable import LatchkeyOAuthCore

extension FuzzTarget {
    /// The claims of an ID token with a valid signature. What is accepted is checked again, over bytes.
    ///
    /// The first byte chooses the rules, the rest are the claims.
    static let idToken = FuzzTarget(name: "id-token", longest: 1_024) { bytes throws(Disagreement) in
        guard let signer = KnownTokens.signer, let kind = bytes.first else { return }
        let payload = Array(bytes.dropFirst())
        let rules = IDTokenOracle.rules(kind)
        let compact = try? JSONWebSignature.sign(payload, header: ["kid": "d"], with: signer, algorithm: .edDSA)
        guard let compact else { throw Disagreement("the key does not sign") }
        let outcome = try Canary.outcome { () throws(JOSEError) in
            try IDToken.validate(Secret(compact), keys: KnownTokens.keys, rules: rules)
        }
        guard case .success(let claims) = outcome else { return }
        if Canary.isIn(payload) { try Canary.demandHidden(claims) }
        guard let document = try? JSON.parse(payload, reader: .jansson) else {
            throw Disagreement("claims are taken that a reader refuses")
        }
        try IDTokenOracle.demandGood(document, rules, claims)
    }
}

/// The rules of OpenID Connect Core, sections 3.1.3.7 and 12.2, implemented again by other code.
enum IDTokenOracle {
    static let now = 1_795_176_000.0
    // Only Unicode treats a Kelvin sign as equal to K, and two forms of é as equal to each other.
    static let issuer = "https://id.example/K\u{e9}"
    static let client = "app;K\u{e9}"
    private static let trusted = "partner;K"
    private static let nonce = "n;K\u{e9}"

    /// Returns rules, with a bit for each optional one.
    static func rules(_ kind: UInt8) -> IDTokenRules {
        var rules = IDTokenRules(
            issuer: issuer, clientID: client, now: Date(timeIntervalSince1970: now),
            nonce: kind & 1 == 0 ? nil : Secret(nonce))
        if kind & 2 != 0 { rules.maxAge = .seconds(3_600) }
        if kind & 4 != 0 { rules.accessToken = Secret("token") }
        if kind & 8 != 0 { rules.requiredACR = ["gold;K"] }
        if kind & 16 != 0 { rules.trustedAudiences = [trusted] }
        if kind & 32 != 0 {
            rules.prior = IDTokenClaims(kept: [
                "iss": .string(issuer), "sub": "u;K", "aud": [.string(client), .string(trusted)],
                "auth_time": .number(now - 60), "nonce": .string(nonce),
            ])
        }
        return rules
    }

    static func demandGood(
        _ document: JSON, _ rules: IDTokenRules, _ claims: IDTokenClaims
    ) throws(Disagreement) {
        try demand(bytes(document["iss"]) == Array(issuer.utf8), "an issuer of other bytes is taken")
        let audience = document["aud"]?.array?.map(bytes) ?? [bytes(document["aud"])]
        try demand(audience.contains(Array(client.utf8)), "a token for another client is taken")
        let partners = rules.trustedAudiences.map { Array($0.utf8) } + [Array(client.utf8)]
        try demand(
            rules.prior != nil || audience.allSatisfy { one in one.map { partners.contains($0) } ?? false },
            "a token is taken that is also for a stranger")
        let party = present(document["azp"])
        let isAlone = Set(audience.map { $0 ?? [] }).count == 1 || rules.prior != nil
        try demand(party.map { bytes($0) == Array(client.utf8) } ?? isAlone, "another party is taken")
        let subject = bytes(document["sub"]) ?? []
        try demand((1...255).contains(subject.count) && subject.allSatisfy { $0 < 0x80 }, "a broken subject is taken")
        try demand(claims.subject.utf8.elementsEqual(subject), "the subject is not the one that came")
        try demand(
            present(document["typ"]).map { bytes($0) == Array("ID".utf8) } ?? true, "another kind of token is taken")
        try demandTimes(document, rules)
        try demandBinding(document, rules, claims, subject)
    }

    private static func demandTimes(_ document: JSON, _ rules: IDTokenRules) throws(Disagreement) {
        guard let expires = document["exp"]?.number, let issued = document["iat"]?.number else {
            throw Disagreement("a token without times is taken")
        }
        try demand(expires > now - 60, "a token is taken after its end")
        try demand(issued <= now + 60 && issued >= now - 86_460, "a token of another time is taken")
        try demand((document["nbf"]?.number ?? 0) <= now + 60, "a token is taken before its time")
        guard rules.maxAge != nil else { return }
        let first = rules.prior?.authenticatedAt?.timeIntervalSince1970
        guard let proven = first ?? document["auth_time"]?.number else {
            throw Disagreement("nobody says when it was proven")
        }
        try demand((now - 3_660...now + 60).contains(proven), "a proof of another time is taken")
    }

    private static func demandBinding(
        _ document: JSON, _ rules: IDTokenRules, _ claims: IDTokenClaims, _ subject: [UInt8]
    ) throws(Disagreement) {
        let came = bytes(document["nonce"])
        let expected = rules.prior == nil ? rules.nonce?.reveal() : came == nil ? nil : Array(nonce.utf8)
        try demand(came == expected, "another nonce is taken")
        if rules.accessToken != nil, let hash = present(document["at_hash"]) {
            // The left half of SHA-512 of "token", calculated by another program.
            try demand(
                bytes(hash) == Array("ImXaughy_DrvFp0Hk2XlkPDLyO1GwqeYTIpkKAPP2Ww".utf8),
                "a hash of another token is taken")
        }
        if !rules.requiredACR.isEmpty {
            try demand(bytes(document["acr"]) == Array("gold;K".utf8), "a weaker proof is taken")
        }
        guard let prior = rules.prior else { return }
        try demand(prior.subject.utf8.elementsEqual(subject), "another person is taken after a refresh")
        try demand(claims.authenticatedAt == prior.authenticatedAt, "another proof is taken after a refresh")
    }

    private static func present(_ value: JSON?) -> JSON? { value == .null ? nil : value }

    private static func bytes(_ value: JSON?) -> [UInt8]? { value?.string.map { Array($0.utf8) } }
}
