import Latchkey
import LatchkeyOAuthCore
import LatchkeyTesting
import Proofs
import Testing

@Suite("Hostile input")
struct HostileInputTests {
    private static let seeds = [
        #"Bearer realm="a, \"b", error=x, DPoP algs="ES256", Negotiate YWJj=="#, "Sun, 06 Nov 1994 08:49:37 GMT",
        "http://127.0.0.1:4603/cb?code=c%2B1&state=st&iss=https%3A%2F%2Fid.example&error=x#y", "a=1&b=%C3%A9&c=+&&=",
        #"{"access_token":"a","token_type":"bearer","expires_in":"60","scope":["x"],"id_token":"i"}"#,
        #"{"device_code":"d","user_code":"u","verification_uri":"https://x.example/","expires_in":9,"interval":-1}"#,
    ]

    @Test(
        "damaged headers, redirects, forms and answers are refused or read, and never bring the reader down", .law(15))
    func mutations() {
        let random = SeededRandom(seed: 20_261_121)
        let transaction = AuthorizationTransaction(
            state: Secret("st"), nonce: nil, verifier: Secret("v"), redirect: "http://127.0.0.1:4603/cb",
            issuer: "https://id.example", client: "c", scopes: [], createdAt: noon, namesIssuer: false)
        var accepted = 0
        for round in 0..<20_000 {
            var bytes = Array(Self.seeds[round % Self.seeds.count].utf8)
            for _ in 0..<Int(random.next() % 4) {
                let index = Int(random.next() % UInt64(max(bytes.count, 1)))
                switch random.next() % 3 {
                case 0 where !bytes.isEmpty: bytes.remove(at: index)
                case 1 where !bytes.isEmpty: bytes[index] = UInt8(truncatingIfNeeded: random.next())
                default: bytes.insert(contentsOf: bytes.prefix(index), at: index)
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            _ = AuthenticationChallenge.all(in: ["WWW-Authenticate": text])
            _ = HTTPDate.read(text, now: noon)
            _ = RetryAfter.read(["Retry-After": text, "Date": text], now: noon)
            _ = Freshness.of(["Cache-Control": text, "Age": text])
            if FormEncoding.decode(text) != nil { accepted += 1 }
            if (try? AuthorizationResponse.check(Secret(text), against: transaction)) != nil { accepted += 1 }
            for status in [200, 400, 401, 503] {
                let response = TransportResponse(status: status, body: bytes)
                if case .tokens = TokenAnswer.judge(response, now: noon) { accepted += 1 }
                _ = DevicePoll.judge(response, now: noon)
                _ = try? DeviceAuthorization.judge(response, now: noon)
                _ = try? ServerMetadata.read(bytes, issuer: "https://id.example")
            }
        }
        #expect(accepted > 1_000 && accepted < 60_000)
    }
}
