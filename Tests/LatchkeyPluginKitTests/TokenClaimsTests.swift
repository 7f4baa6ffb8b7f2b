import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyPluginKit
import LatchkeyTesting
import Testing

@Suite struct TokenClaimsTests {
    private let context = ProviderContext(world: .testing(), transport: ScriptedTransport(), cache: KeepingCache())

    private func claims(_ content: String) throws -> TokenClaims { try TokenClaims(of: Secret(.token(content))) }

    @Test("A token says whom it speaks of, for whom, and from whom")
    func reading() throws {
        let claims = try claims(#"{"sub":"ada","iss":"https://id","aud":["web","cli"],"auth_time":10,"é~?":"ÿ>"}"#)
        #expect(claims.subject == "ada")
        #expect(claims["é~?"]?.string == "ÿ>")
        #expect(claims.instant("auth_time") == Date(timeIntervalSince1970: 10))
        try claims.require(issuer: "https://id", audience: "cli")
        try self.claims(#"{"sub":"ada","aud":"web"}"#).require(audience: "web")
        // As emulators of services make them.
        #expect(try TokenClaims(of: Secret(.token(#"{"sub":"ada"}"#, signature: ""))).subject == "ada")
    }

    @Test(
        "What is no token is refused",
        arguments: [
            "", ".", "..", "a.b", "a.b.c.d", "e30.e30", "e30.e30.e30.e30.e30", "e30.e30.", "e30..e30", ".e30.e30",
            "e30.W10.e30", "e30.bnVsbA.e30", "W10.eyJzdWIiOiJhIn0.", "eyJh.eyJzdWIiOiJhIn0.x", "x.eyJzdWIiOiJhIn0.",
            // Padding, the other alphabet, white space, bits left over, a letter too many.
            "e30.eyJzdWIiOiJhIn0=.", "e30=.eyJzdWIiOiJhIn0.", "e30.eyJzdWIiOiI+In0.", "e30.eyJzdWIiOiI/In0.",
            "e30.eyJzdWIiOiJhIn0 .", "e30.eyJzdWIi\nOiJhIn0.", "e30.eyJzdWIiOiJhIn1.", "e31.eyJzdWIiOiJhIn0.",
            "e30.eyJzdWIiOiJhIn0.=", "e30.eyJzdWIiOiJhIn0.x", "e30.eyJzdWIiOiJhIn0.é",
        ])
    func malformed(token: String) {
        let error = #expect(throws: AuthError.self) { try TokenClaims(of: Secret(token)) }
        #expect([.untrusted(.malformed), .untrusted(.claims)].contains(error?.code))
    }

    @Test(
        "A token without a subject is refused",
        arguments: [
            "{}", #"{"sub":""}"#, #"{"sub":1}"#, #"{"sub":null}"#, #"{"sub":["ada"]}"#,
            #"{"sub":"\#(String(repeating: "a", count: 256))"}"#,
        ])
    func nobody(content: String) {
        let error = #expect(throws: AuthError.self) { try claims(content) }
        #expect(error?.code == .untrusted(.claims))
    }

    @Test("A token may lack a subject if its reader says so, and one that is there must be right all the same")
    func withoutSubject() throws {
        let read = { try TokenClaims(of: Secret(.token($0)), demandsSubject: false) }
        let claims = try read(#"{"uid":"ada","exp":4600,"iat":1000}"#)
        #expect(claims.subject.isEmpty && claims["uid"] == "ada")
        #expect(claims.lifetime(in: context)?.lasts == .seconds(3599))
        #expect(try read(#"{"sub":"ada"}"#).subject == "ada")
        for content in [#"{"sub":""}"#, #"{"sub":1}"#, #"{"sub":null}"#] {
            #expect(throws: AuthError.self) { try read(content) }
        }
    }

    @Test("A token that is too large, too deep or names a claim twice is refused")
    func bounds() {
        let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        let large = String(repeating: "a", count: TokenClaims.limit)
        for content in [#"{"sub":"ada","x":\#(deep)}"#, #"{"sub":"ada","x":"\#(large)"}"#, #"{"sub":"a","sub":"b"}"#] {
            let error = #expect(throws: AuthError.self) { try claims(content) }
            #expect(error?.code == .untrusted(.malformed))
        }
    }

    @Test("Another issuer and another audience are refused")
    func others() throws {
        for content in [
            #"{"sub":"a"}"#, #"{"sub":"a","iss":"https://id/","aud":["webx"]}"#, #"{"sub":"a","iss":1,"aud":1}"#,
        ] {
            let claims = try claims(content)
            #expect(throws: AuthError.self) { try claims.require(issuer: "https://id") }
            #expect(throws: AuthError.self) { try claims.require(audience: "web") }
            try claims.require()
        }
    }

    @Test("It lasts from the later of its making and the answer until its end, less one second")
    func lifetime() throws {
        let lifetime = try #require(try claims(#"{"sub":"a","iat":1000,"exp":4600}"#).lifetime(in: context))
        #expect(lifetime.lasts == .seconds(3599))
        #expect(lifetime.wall == Date(timeIntervalSince1970: 1000))
        #expect(lifetime.receivedAt == context.world.clock.now())
        let cached = try claims(#"{"sub":"a","iat":1000,"exp":4600}"#)
        #expect(cached.lifetime(in: context, seen: Date(timeIntervalSince1970: 4000))?.lasts == .seconds(599))
        #expect(cached.lifetime(in: context, seen: Date(timeIntervalSince1970: 500))?.lasts == .seconds(3599))
    }

    @Test("Without a time of its making it lasts from now, by the service's clock")
    func lifetimeFromNow() throws {
        var context = context
        context.serverOffset = .seconds(50)
        let end = context.world.clock.wall().timeIntervalSince1970 + 350
        let lifetime = try claims(#"{"sub":"a","exp":\#(Int(end))}"#).lifetime(in: context)
        #expect(lifetime?.lasts == .seconds(299))
        #expect(lifetime?.wall == context.serverNow)
    }

    @Test("A token that has ended lasts for nothing, and one without an end does not say")
    func ended() throws {
        #expect(try claims(#"{"sub":"a","iat":1000,"exp":900}"#).lifetime(in: context)?.lasts == .zero)
        #expect(try claims(#"{"sub":"a","iat":1,"exp":32503680000}"#).lifetime(in: context)?.lasts == Lifetime.longest)
        for end in ["", #","exp":null"#, #","exp":"4600""#, #","exp":-1"#, #","exp":1e300"#] {
            #expect(try claims(#"{"sub":"a","iat":1000\#(end)}"#).lifetime(in: context) == nil)
        }
    }

    @Test("Neither claims nor errors print what a token says")
    func printing() throws {
        var shown = ""
        dump(try claims(#"{"sub":"very-secret","iss":"very-secret"}"#), to: &shown)
        shown += "\(try claims(#"{"sub":"very-secret"}"#))"
        for token in ["very-secret", "very.secret.", String.token(#"{"sub":["very-secret"]}"#)] {
            let error = #expect(throws: AuthError.self) { try TokenClaims(of: Secret(token)) }
            dump(error as Any, to: &shown)
        }
        let error = #expect(throws: AuthError.self) {
            try claims(#"{"sub":"a","iss":"very-secret"}"#).require(issuer: "https://id")
        }
        dump(error as Any, to: &shown)
        #expect(!shown.contains("very") && !shown.contains("secret"))
    }
}

extension String {
    /// A token of this content.
    fileprivate static func token(_ content: String, signature: String = "c2ln") -> String {
        let text = Data(content.utf8).base64EncodedString()
        let url = text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.filter { $0 != "=" }
        return "e30.\(String(url)).\(signature)"
    }
}
