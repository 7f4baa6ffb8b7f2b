import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

@Suite struct SecretTests {
    private static let mark = "s3cr3t-canary"

    /// Values that hold the mark, each in its own place.
    private static func holders() -> [(String, any Sendable)] {
        let binding = ProviderBinding(provider: "p", authority: "https://id.example.com", client: "c")
        let account = AccountID(subject: "alice", of: binding)
        let state: JSON = ["verifier": .string(mark), "list": [.string(mark)]]
        let token = AccessToken(Secret(mark))
        let session = AuthSession(id: .init("s"), account: account, tokens: [.standard: token], state: state)
        let credential = Credential(
            id: .init("c"), binding: binding, refreshToken: Secret(mark), sessions: [session], state: state)
        let challenge = Challenge(id: "0123456789abcdef", binding: binding, ask: .totp, state: state)
        return [
            ("Secret", Secret(mark)), ("AccessToken", token), ("AuthSession", session), ("Credential", credential),
            ("Challenge", challenge), ("JSON", state),
            ("Grant", Grant(refreshToken: Secret(mark), session, state: state)),
            (
                "CredentialChange",
                CredentialChange(refreshToken: Secret(mark), minted: [.init("s"): [.standard: token]], state: state)
            ),
            ("Revocation", Revocation(credential)), ("Turn", Turn.asked(challenge)),
            ("Answer", Answer.fields(["a": Secret(mark)])), ("Redirected", Answer.redirected(Secret(mark))),
            ("SignInMethod", SignInMethod.password(identifier: "a", Secret(mark))),
            ("TokenWant", TokenWant(session: .init("s"), newerThan: token)),
            ("StoredRecord", StoredRecord(bytes: Array(mark.utf8), version: RecordVersion([1]))),
            (
                "TransportRequest",
                TransportRequest(
                    "POST", "https://id.example.com/token?x=\(mark)", fields: ["Authorization": "Bearer \(mark)"],
                    body: Array(mark.utf8))
            ),
            ("TransportResponse", TransportResponse(status: 200, fields: ["Set-Cookie": mark], body: Array(mark.utf8))),
            ("HeaderFields", HeaderFields([("Authorization", mark)])),
            ("WebAddress", WebAddress("https://id.example.com/\(mark)?code=\(mark)#\(mark)")),
            ("WebAddress of an app", WebAddress("com.example.app:/\(mark)?state=\(mark)")),
            ("Turn of a visit", Turn.asked(Challenge(id: "0", binding: binding, ask: visit))),
        ] + asks.map { ("Ask", $0) }
    }

    private static let visit = Ask.visit(
        url: "https://id.example.com/authorize?state=\(mark)", redirect: "http://127.0.0.1:1/callback/\(mark)")

    /// Each holds the mark wherever a service, or this sign-in, may have put something.
    private static var asks: [Ask] {
        let device = Ask.Device(
            userCode: mark, at: "https://id.example.com/\(mark)", complete: "https://id.example.com/?c=\(mark)")
        return [
            visit, .device(device), .passkey(request: ["challenge": .string(mark)]), .wallet(message: mark),
            .code(over: .mail, sentTo: mark), .openedLink(sentTo: mark), .newPassword(rules: [mark]),
            .choose([Ask.Option(id: mark, label: mark)]), .fields([Ask.Field(name: mark)]), .captcha(siteKey: mark),
        ]
    }

    @Test(
        "no value that holds a secret shows it: printed, interpolated, mirrored or dumped", .law(10), .need("R7"),
        .complaint(.clerk, 36))
    func redaction() {
        let bytes = Array(Self.mark.utf8).map(String.init).joined(separator: ", ")
        for (name, value) in Self.holders() {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(describing: value), String(reflecting: value), dumped, "\([value])"] {
                #expect(!text.contains(Self.mark), "\(name) shows its secret")
                #expect(!text.contains(bytes), "\(name) shows its secret's bytes")
            }
        }
    }

    @Test("what is printed of a token or an address says what it is: until when, and where")
    func descriptions() throws {
        let start = Date(timeIntervalSince1970: 1_767_323_045)
        let lifetime = Lifetime(
            receivedAt: MonotonicInstant(nanoseconds: 0), boot: "b", wall: start, lasts: .seconds(60))
        let token = AccessToken(Secret(Self.mark), lifetime: lifetime)
        #expect("\(token)" == "AccessToken(<redacted>, until 2026-01-02T03:05:05Z)")
        #expect("\(AccessToken(Secret(Self.mark)))" == "AccessToken(<redacted>)")
        #expect("\(try #require(WebAddress("https://id.example.com:444/a?b#c")))" == "https://id.example.com:444")
        #expect("\(Self.visit)" == "visit to https://id.example.com, ending at http://127.0.0.1:1")
    }

    @Test("secrets are equal by content only")
    func equality() {
        #expect(Secret("abc") == Secret([0x61, 0x62, 0x63]))
        #expect(Secret("abc") != Secret("abd"))
        #expect(Secret("abc") != Secret("abcd"))
        #expect(Secret("abc") != Secret("xbc"))
        #expect(Secret("") == Secret([]))
    }
}
