import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyOAuth

@Suite("Sign-ins whose answer is refused")
struct RefusedAnswerTests {
    /// What is wrong with an ID token, what its error names, and whether somebody may have interfered.
    struct Fault: Sendable, CustomTestStringConvertible {
        var name: String
        var words: String
        var isAlarm: Bool
        var spoil: @Sendable (LoginService.Spoilt) throws -> String?
        var testDescription: String { name }

        static let all = [
            Fault(name: "encrypted", words: "is encrypted", isAlarm: false) { _ in "a.b.c.d.e" },
            Fault(name: "not a token", words: "", isAlarm: false) { _ in "x" },
            Fault(name: "too large", words: "bytes", isAlarm: false) { _ in
                String(repeating: "a", count: 70_000)
            },
            Fault(name: "HS256", words: "\"HS256\"", isAlarm: false) { try changed($0, algorithm: "HS256") },
            Fault(name: "PS999", words: "\"PS999\"", isAlarm: false) { try changed($0, algorithm: "PS999") },
            Fault(name: "none", words: "not signed", isAlarm: false) { try changed($0, algorithm: "none") },
            Fault(name: "signature", words: "signature", isAlarm: true) { spoilt in
                let token = try spoilt.sign(spoilt.claims)
                return token.dropLast(4) + (token.hasSuffix("AAAA") ? "BBBB" : "AAAA")
            },
            claim("nonce", "another", isAlarm: true, "nonce"), claim("aud", "other", isAlarm: true, "another client"),
            claim("iss", "https://evil.example", isAlarm: true, "iss"), claim("exp", 1, isAlarm: false, "expired"),
            claim("sub", "", isAlarm: false, "sub"),
        ]

        private static func claim(_ name: String, _ value: JSON, isAlarm: Bool, _ words: String) -> Fault {
            Fault(name: name, words: words, isAlarm: isAlarm) { spoilt in
                var claims = spoilt.claims
                claims[name] = value
                return try spoilt.sign(claims)
            }
        }

        private static func changed(_ spoilt: LoginService.Spoilt, algorithm: String) throws -> String {
            let parts = try spoilt.sign(spoilt.claims).split(separator: ".").map(String.init)
            let header = Base64URL.encode(Array(#"{"alg":"\#(algorithm)"}"#.utf8))
            return [header, parts[1], parts[2]].joined(separator: ".")
        }
    }

    private func refuse(
        _ way: LoginDesk.Way, _ desk: LoginDesk, _ auth: AuthClient, in browser: String = "b1"
    ) async -> AuthError? {
        do {
            try await desk.signIn(auth, way, in: browser)
            return nil
        } catch { return error as? AuthError }
    }

    @Test("the tokens that came are revoked, and the error says so", .law(22), arguments: Fault.all)
    func revoked(_ fault: Fault) async throws {
        for way in [LoginDesk.Way.browser, .device] {
            // A device has no nonce, so none can be wrong.
            if way == .device, fault.name == "nonce" { continue }
            let desk = LoginDesk(.grant)
            desk.service.spoil(fault.spoil)
            let auth = try desk.process(seed: 7)
            let error = try #require(await refuse(way, desk, auth), "\(way)")
            #expect(error.refusedTokens == .revoked)
            #expect(error.message.hasSuffix("The tokens that came were revoked."), "\(error.message)")
            #expect(error.message.contains(fault.words), "\(error.message)")
            #expect(error.mayBeAttack == fault.isAlarm, "\(error.message)")
            #expect((error.recovery == .investigate) == fault.isAlarm)
            #expect(desk.service.alive == 0)
            #expect(try await auth.accounts().isEmpty)
        }
    }

    @Test("where they cannot be revoked, the error says that")
    func unreachable() async throws {
        let desk = LoginDesk(.grant)
        desk.service.spoil { _ in "a.b.c.d.e" }
        desk.service.cutRevocations(true)
        let auth = try desk.process(seed: 7)
        let error = await refuse(.browser, desk, auth)
        #expect(error?.refusedTokens == .leftToExpire(.failed))
        #expect(error?.message.contains("could not be revoked") == true)
    }

    @Test("a session that the revocation might end is spared, and the error says that the tokens expire", .law(22))
    func spared() async throws {
        for (browser, isSpared) in [("b1", true), ("b2", false)] {
            let desk = LoginDesk(.session)
            let auth = try desk.process(seed: 7)
            try await desk.signIn(auth, .browser)
            desk.service.spoil { spoilt in
                var claims = spoilt.claims
                claims["aud"] = "other"
                return try spoilt.sign(claims)
            }
            let error = await refuse(.browser, desk, auth, in: browser)
            #expect(error?.refusedTokens == (isSpared ? .leftToExpire(.endsOthers) : .revoked))
            desk.clock.advance(by: .seconds(700))
            _ = try await auth.accessToken()
            #expect(desk.service.alive == (isSpared ? 2 : 1))
        }
    }

    @Test("an answer without tokens leaves nothing to revoke, and the error says nothing of them")
    func nothing() async throws {
        let desk = LoginDesk(.grant)
        let auth = try desk.process(seed: 7)
        let error = await #expect(throws: AuthError.self) {
            _ = try await auth.signIn(with: "oauth", .ticket(Secret("nobody's")))
        }
        #expect(error?.refusedTokens == nil && desk.service.revoked.isEmpty)
    }
}
