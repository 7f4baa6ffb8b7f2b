import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyOAuthCore
import Proofs
import Testing

@Suite("Form encoding (RFC 6749, appendix B)")
struct FormEncodingTests {
    @Test("the published vector is encoded and decoded")
    func vector() throws {
        for row in try Vectors.read("form-and-basic.json")["form_urlencode"].array() {
            let (plain, encoded) = (try row["input"].string(), try row["encoded"].string())
            #expect(FormEncoding.encode(plain) == encoded)
            #expect(FormEncoding.decode("x=\(encoded)")?["x"] == plain)
        }
    }

    @Test("a plus sign in a code never becomes a space")
    func plusSurvives() {
        let parameters = FormParameters([("code", "a+b/c=d?e:f&g h~")])
        #expect(FormEncoding.encode(parameters) == "code=a%2Bb%2Fc%3Dd%3Fe%3Af%26g+h%7E")
        #expect(FormEncoding.decode(FormEncoding.encode(parameters))?["code"] == "a+b/c=d?e:f&g h~")
    }

    @Test("every byte comes back as it went")
    func roundTrip() {
        let all = String((0...0x2FF).compactMap { Unicode.Scalar($0).map(Character.init) })
        #expect(FormEncoding.decode(FormEncoding.encode(FormParameters([(all, all)])))?[all] == all)
    }

    @Test(
        "what is not plainly a form is refused",
        arguments: ["a=%", "a=%2", "a=%GG", "a=%ff", "a=%C3", "a=\u{e9}", "a= b"])
    func refused(_ text: String) { #expect(FormEncoding.decode(text) == nil) }

    @Test("too many parameters and too many bytes are refused")
    func bounds() {
        #expect(FormEncoding.decode(String(repeating: "a=1&", count: 256))?.pairs.count == 256)
        #expect(FormEncoding.decode(String(repeating: "a=1&", count: 257)) == nil)
        #expect(FormEncoding.decode(String(repeating: "a", count: FormEncoding.longest + 1)) == nil)
    }

    @Test("duplicates, empty values and missing equals signs are kept apart")
    func shapes() throws {
        let parameters = try #require(FormEncoding.decode("a=1&a=2&b=&c&&=d&e=f=g"))
        #expect(parameters.pairs.map { "\($0.name):\($0.value)" } == ["a:1", "a:2", "b:", "c:", ":d", "e:f=g"])
        #expect(parameters.count(of: "a") == 2)
        #expect("\(parameters)" == "6 parameters")
    }
}

@Suite("Client authentication (RFC 6749, section 2.3)")
struct ClientAuthenticationTests {
    private func applied(_ id: String, _ authentication: ClientAuthentication) -> (FormParameters, HeaderFields) {
        var (form, fields) = (FormParameters(), HeaderFields())
        authentication.apply(clientID: id, to: &form, &fields)
        return (form, fields)
    }

    @Test("id and secret are encoded before they are joined, a space in the way that every decoder reads")
    func basicVectors() throws {
        let vectors = try Vectors.read("form-and-basic.json")
        for list in ["client_secret_basic", "client_secret_basic_needs_encoding"] {
            for row in try vectors[list].array() {
                let secret = Secret(try row["client_secret"].string())
                let (form, fields) = applied(try row["client_id"].string(), .basic(secret))
                let encoded = try row["authorization"].string().dropFirst("Basic ".count)
                let pair = String(decoding: try Base64.decode(String(encoded)), as: UTF8.self)
                let expected = pair.replacing("+", with: "%20")
                #expect(fields["Authorization"] == "Basic " + Base64.encode(Array(expected.utf8)))
                #expect(form.pairs.isEmpty)
            }
        }
    }

    @Test("a space in a secret is %20")
    func space() {
        let (_, fields) = applied("a b", .basic(Secret("c d+e")))
        #expect(fields["Authorization"] == "Basic " + Base64.encode(Array("a%20b:c%20d%2Be".utf8)))
    }

    @Test("the raw switch joins them as they are")
    func raw() {
        let (_, fields) = applied("a", .basic(Secret("b+c"), encoding: .raw))
        #expect(fields["Authorization"] == "Basic YTpiK2M=")
    }

    @Test("a request authenticates in its header or in its body, never in both")
    func neverBoth() {
        let (none, noneFields) = applied("id", .none)
        #expect(none["client_id"] == "id" && none["client_secret"] == nil && noneFields["Authorization"] == nil)
        let (post, postFields) = applied("id", .post(Secret("s")))
        #expect(post["client_id"] == "id" && post["client_secret"] == "s" && postFields["Authorization"] == nil)
        let (basic, basicFields) = applied("id", .basic(Secret("s")))
        #expect(basic["client_secret"] == nil && basic["client_id"] == nil && basicFields["Authorization"] != nil)
    }

    @Test("a secret never prints")
    func redacted() {
        #expect(!"\(ClientAuthentication.post(Secret("hush")))".contains("hush"))
        #expect(!"\(ClientAuthentication.basic(Secret("hush")))".contains("hush"))
    }
}

@Suite("Proof key for code exchange (RFC 7636)")
struct PKCETests {
    @Test("the vector of appendix B")
    func vector() throws {
        for row in try Vectors.read("pkce.json").array() {
            let verifier = try row["code_verifier"].string()
            let octets = try row["verifier_octets_hex"].string()
            let bytes = stride(from: 0, to: octets.utf8.count, by: 2).compactMap { offset in
                UInt8(octets.dropFirst(offset).prefix(2), radix: 16)
            }
            let made = try #require(ProofKey(random: bytes))
            #expect(made.verifier == Secret(verifier))
            #expect(made.challenge == (try row["code_challenge"].string()))
            #expect(ProofKey(verifier: Secret(verifier))?.challenge == made.challenge)
        }
        #expect(ProofKey.method == "S256")
    }

    @Test("too little randomness makes no verifier", .standard(6), arguments: [0, 1, 16, 31, 97])
    func randomBounds(_ count: Int) { #expect(ProofKey(random: [UInt8](repeating: 7, count: count)) == nil) }

    @Test(
        "a verifier of another form is not taken back",
        arguments: [
            "", String(repeating: "a", count: 42), String(repeating: "a", count: 129),
            String(repeating: "a", count: 43) + "+",
        ])
    func verifierForm(_ text: String) { #expect(ProofKey(verifier: Secret(text)) == nil) }
}
