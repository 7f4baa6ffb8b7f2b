import FoundationEssentials
import Latchkey
import LatchkeyOAuthCore
import Testing

@Suite("WWW-Authenticate (RFC 9110, section 11.6.1)")
struct AuthenticationChallengeTests {
    private func all(_ lines: String...) -> [AuthenticationChallenge] {
        AuthenticationChallenge.all(in: HeaderFields(lines.map { ("www-AUTHENTICATE", $0) }))
    }

    @Test("several challenges in one header, with commas in quotes and escapes")
    func several() {
        let found = all(
            #"Bearer realm="a, b=\"c\"" , error="invalid_token",DPoP algs="ES256 Ed25519", Negotiate, Basic realm=x"#)
        #expect(
            found == [
                AuthenticationChallenge(
                    scheme: "bearer", parameters: ["realm": #"a, b="c""#, "error": "invalid_token"]),
                AuthenticationChallenge(scheme: "dpop", parameters: ["algs": "ES256 Ed25519"]),
                AuthenticationChallenge(scheme: "negotiate"),
                AuthenticationChallenge(scheme: "basic", parameters: ["realm": "x"]),
            ])
    }

    @Test("repeated headers are read in order, names in any case")
    func repeated() {
        let found = all(#"Bearer"#, #"DPOP Algs = "ES256" , ERROR=use_dpop_nonce"#)
        #expect(found.map(\.scheme) == ["bearer", "dpop"])
        #expect(found.last?.parameters == ["algs": "ES256", "error": "use_dpop_nonce"])
    }

    @Test("what a service put into a challenge is not printed, mirrored or dumped")
    func redaction() throws {
        let found = all(#"Bearer realm="hush", error="hush", scope="hush""#, "Negotiate hush==")
        var dumped = ""
        dump(found, to: &dumped)
        #expect(found.count == 2 && "\(found)" == "[bearer challenge, negotiate challenge]")
        #expect(!dumped.contains("hush") && !String(reflecting: found).contains("hush"))
    }

    @Test("a blob is no parameter")
    func blob() {
        let found = all("Negotiate YWJj+/==, Bearer error=x", "NTLM abc=")
        #expect(found.first == AuthenticationChallenge(scheme: "negotiate", token68: "YWJj+/=="))
        #expect(found.dropFirst().first?.parameters == ["error": "x"])
        #expect(found.last?.token68 == "abc=")
    }

    @Test("of two parameters with one name the first counts")
    func twice() { #expect(all("Bearer error=a, error=b").first?.parameters == ["error": "a"]) }

    @Test(
        "broken headers never break reading: what came before is kept",
        arguments: [
            Row("nothing", "", 0), Row("commas", " , ,, ", 0), Row("no scheme", #"="x""#, 0),
            Row("a quote without end", #"Basic realm=x, Bearer error="inv"#, 2), Row("no value", "Bearer error=", 1),
            Row("rubbish after", "Bearer error=x;y", 1), Row("an escape at the end", #"Bearer realm="x\"#, 1),
            Row("control", "Bearer\u{1}", 1), Row("slash", "Bear/er x=y", 1),
        ])
    func broken(_ row: Row<String, Int>) { #expect(all(row.input).count == row.expected) }

    @Test("no header and no answer can make many")
    func bounds() {
        #expect(all(String(repeating: "a,", count: 4_000)).count == AuthenticationChallenge.most)
        #expect(all("Bearer realm=\"" + String(repeating: "a", count: 8_192) + "\"").isEmpty)
    }

    @Test("a blob of equals signs and a long run of blanks end")
    func hostile() {
        #expect(all("A " + String(repeating: "=", count: 8_000)).count == 1)
        #expect(all("A" + String(repeating: " ", count: 8_000)).count == 1)
    }
}

@Suite("Dates and waits of header fields (RFC 9110)")
struct HTTPDateTests {
    @Test(
        "all three forms name the same instant",
        arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
    func forms(_ text: String) {
        #expect(HTTPDate.read(text, now: noon) == Date(timeIntervalSince1970: 784_111_777))
    }

    @Test("two digits of a year are at most 50 years ahead")
    func century() throws {
        let near = try #require(HTTPDate.read("Monday, 01-Jan-76 00:00:00 GMT", now: noon))
        #expect(HTTPDate.text(near) == "Wed, 01 Jan 2076 00:00:00 GMT")
        let far = try #require(HTTPDate.read("Monday, 01-Jan-77 00:00:00 GMT", now: noon))
        #expect(HTTPDate.text(far) == "Sat, 01 Jan 1977 00:00:00 GMT")
    }

    @Test("what is written is read again, on leap days and before 1970 too")
    func roundTrip() {
        let instants: [Double] = [
            0, -1, 951_782_400, 951_868_799, 1_709_164_800, 4_102_444_800, -31_536_000, 1_795_229_352,
            253_402_300_799,
        ]
        for seconds in instants {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(HTTPDate.read(HTTPDate.text(date), now: noon) == date)
        }
        #expect(HTTPDate.text(Date(timeIntervalSince1970: 1_795_176_000.9)) == "Fri, 20 Nov 2026 12:00:00 GMT")
    }

    @Test(
        "what is no date is refused",
        arguments: [
            "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 29 Feb 2023 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
            "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 199x 08:49:37 GMT",
            "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun Nov  6 08:49:37 94",
            "Sun, 06 Nov 2026 -8:49:37 GMT", "Sun,-06 Nov-1994 08:49:37 GMT",
            "Fri, 31 Dec 9999 23:59:60 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT and more words that make it much too long to be read",
        ])
    func refused(_ text: String) { #expect(HTTPDate.read(text, now: noon) == nil) }

    @Test("the service's clock is learnt from the date of an answer")
    func offset() {
        #expect(ServerClock.offset(["Date": "Fri, 20 Nov 2026 13:00:00 GMT"], wall: noon) == .seconds(3_600.5))
        #expect(
            ServerClock.offset(["Date": "Fri, 20 Nov 2026 11:59:00 GMT"], wall: noon, roundTrip: .seconds(1))
                == .seconds(-59))
        #expect(ServerClock.offset([:], wall: noon) == nil)
        #expect(ServerClock.offset(["Date": "today"], wall: noon) == nil)
    }
}
