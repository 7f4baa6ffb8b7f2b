import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Testing

@Suite struct SecretTests {
    private static let mark = "s3cr3t-canary"

    /// Values that hold the mark, each in its own place.
    private static func holders() -> [(String, any Sendable)] {
        let binding = Binding(provider: "p", authority: "https://id.example.com", client: "c")
        let account = AccountID(subject: "alice", of: binding)
        let state: JSON = ["verifier": .string(mark), "list": [.string(mark)]]
        let token = AccessToken(Secret(mark))
        let session = Session(id: .init("s"), account: account, tokens: [.standard: token], state: state)
        let credential = Credential(
            id: .init("c"), binding: binding, renewal: Secret(mark), sessions: [session], state: state)
        let challenge = Challenge(id: "0123456789abcdef", binding: binding, ask: .totp, state: state)
        return [
            ("Secret", Secret(mark)), ("AccessToken", token), ("Session", session), ("Credential", credential),
            ("Challenge", challenge), ("JSON", state),
            ("Grant", Grant(renewal: Secret(mark), session, state: state)),
            ("Renewal", Renewal(renewal: Secret(mark), minted: [.init("s"): [.standard: token]], state: state)),
            ("Revocation", Revocation(credential)), ("Turn", Turn.asked(challenge)),
            ("Answer", Answer.fields(["a": Secret(mark)])), ("Redirected", Answer.redirected(Secret(mark))),
            ("SignInMethod", SignInMethod.password(identifier: "a", Secret(mark))),
            ("TokenWant", TokenWant(session: .init("s"), newerThan: token)),
            ("StoredRecord", StoredRecord(bytes: Array(mark.utf8), version: Version([1]))),
            (
                "HTTPRequest",
                HTTPRequest(
                    "POST", "https://id.example.com/token?x=\(mark)", fields: ["Authorization": "Bearer \(mark)"],
                    body: Array(mark.utf8))
            ),
            ("HTTPResponse", HTTPResponse(status: 200, fields: ["Set-Cookie": mark], body: Array(mark.utf8))),
            ("HTTPFields", HTTPFields([("Authorization", mark)])),
        ]
    }

    @Test("no value that holds a secret shows it: printed, interpolated, mirrored or dumped")
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

    @Test("secrets are equal by content only")
    func equality() {
        #expect(Secret("abc") == Secret([0x61, 0x62, 0x63]))
        #expect(Secret("abc") != Secret("abd"))
        #expect(Secret("abc") != Secret("abcd"))
        #expect(Secret("abc") != Secret("xbc"))
        #expect(Secret("") == Secret([]))
    }
}
