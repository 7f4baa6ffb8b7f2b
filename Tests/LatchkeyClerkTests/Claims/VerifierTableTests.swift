import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Testing

@testable import LatchkeyClerk

/// Each claim absent, right and wrong, in all combinations with each rule: what is taken, and what is refused by which code.
@Suite("Session tokens, claim by claim") struct VerifierTableTests {
    private typealias Base = VerifierTests

    /// The value of a claim or of a header's member: absent, or a text, or something else.
    private static let parties: [JSON?] = [nil, .string(Base.page), "https://evil.example.com", "", 7]
    private static let statuses: [JSON?] = [nil, "active", "pending", 7]
    private static let categories: [JSON?] = [
        nil, "cl_B7d4PD111AAA", "cl_I7d4PD111III", "cl_B7d4PD222AAA", "cl_B7d4PD333AAA", "cl_X", 7,
    ]
    private static let types: [JSON?] = [nil, "JWT", "at+jwt"]

    private struct Token {
        let (party, status, category, type): (JSON?, JSON?, JSON?, JSON?)

        /// Everything that speaks against it.
        func against(_ rules: ClerkTokenVerifier.Rules) -> Set<AuthError.Code> {
            var found: Set<AuthError.Code> = []
            if !rules.authorizedParties.isEmpty {
                let isRight = party == nil ? rules.acceptsNativeTokens : party == .string(VerifierTests.page)
                if !isRight { found.insert(.untrusted(.claims)) }
            }
            if status == 7 { found.insert(.untrusted(.claims)) }
            if status == "pending", !rules.acceptsPending { found.insert(.refused(.factorRequired)) }
            let isSession = [nil, "cl_B7d4PD111AAA", "cl_I7d4PD111III"].contains(category)
            let isTemplate = category == "cl_B7d4PD222AAA" && rules.acceptsTemplates
            if !isSession, !isTemplate { found.insert(.untrusted(.claims)) }
            if type == "at+jwt" { found.insert(.untrusted(.claims)) }
            return found
        }
    }

    private static let tokens: [Token] = parties.flatMap { party in
        statuses.flatMap { status in
            categories.flatMap { category in
                types.map { Token(party: party, status: status, category: category, type: $0) }
            }
        }
    }

    private static let rules: [ClerkTokenVerifier.Rules] = (0..<16).map { bits in
        var rules = ClerkTokenVerifier.Rules()
        if bits & 1 != 0 { rules.authorizedParties = [Base.page, "https://other.example.com"] }
        (rules.acceptsNativeTokens, rules.acceptsTemplates) = (bits & 2 != 0, bits & 4 != 0)
        rules.acceptsPending = bits & 8 != 0
        return rules
    }

    @Test("a token is taken only if nothing of it speaks against it, whatever else is right")
    func table() async throws {
        let clock = ManualClock()
        let verifiers = try Self.rules.map { rules in (rules, try Base.verifier(clock) { $0 = rules }) }
        var (cases, right) = (0, 0)
        for token in Self.tokens {
            var header: [String: JSON] = [:]
            (header["cat"], header["typ"]) = (token.category, token.type)
            let signed = try Base.token(clock, ["azp": token.party, "sts": token.status], header: header)
            for (rules, verifier) in verifiers {
                let against = token.against(rules)
                let code = await Base.code { try await verifier.verify(signed) }
                let isRight = code.map(against.contains) ?? against.isEmpty
                if !isRight { Issue.record("\(token) \(rules) \(String(describing: code))") }
                (cases, right) = (cases + 1, right + (isRight ? 1 : 0))
            }
        }
        print("cases=\(cases) right=\(right)")
        #expect(cases == 6_720 && right == cases)
    }
}
