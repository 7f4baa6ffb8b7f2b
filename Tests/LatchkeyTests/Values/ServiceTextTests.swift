import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Testing

@Suite("What a service says about its refusal") struct ServiceTextTests {
    private func form(_ body: String, _ fields: HeaderFields = [:]) -> TransportRequest {
        TransportRequest("POST", "https://id.example/token", fields: fields, body: Array(body.utf8))
    }

    @Test("it is on one line, without what controls a terminal, hides or turns the direction, and is cut")
    func cleaned() {
        let text = ServiceText("Offline\u{1B}[31m tokens\r\n not\u{202E} allowed\u{200B}\u{FEFF}\u{2066} here\u{0}")
        #expect(text?.words == "Offline[31m tokens not allowed here")
        let long = ServiceText(String(repeating: "word ", count: 200))
        #expect(long?.words?.count == ServiceText.limit + 1 && long?.words?.hasSuffix("…") == true)
        for nothing in [nil, "", "  \n", "\u{200B}\u{202E}"] { #expect(ServiceText(nothing) == nil) }
    }

    @Test("it is marked as the service's words, in each language")
    func marked() {
        let text = ServiceText("No.", address: "https://id.example/errors#1")
        #expect(text?.text(in: .english) == "The service says: “No.” It names https://id.example/errors#1")
        #expect(text?.text(in: .french) == "Le service dit : « No. » Il renvoie à https://id.example/errors#1")
    }

    @Test(
        "it is left out if it repeats what was sent",
        arguments: [
            "grant_type=refresh_token&refresh_token=short-one", "code=short-one&client_id=app",
            "token=short%2Done&token_type_hint=refresh_token", "client_secret=short-one", "device_code=short-one",
            #"{"AuthParameters":{"PASSWORD":"short-one"}}"#,
        ])
    func repeating(_ body: String) {
        let said: JSON = ["error_description": "The token short-one is over."]
        #expect(ServiceText(in: said, ["error_description"], to: form(body)) == nil)
        #expect(ServiceText(in: said, ["error_description"], to: form("grant_type=refresh_token")) != nil)
    }

    @Test("it is left out if it repeats credentials of a header, or a secret that the caller names")
    func credentials() {
        let said: JSON = ["msg": "The token short-one is over.", "error_uri": "https://id.example/short-one"]
        let request = form("", ["Authorization": "Bearer short-one"])
        #expect(ServiceText(in: said, ["msg"], address: "error_uri", to: request) == nil)
        #expect(ServiceText(in: said, ["msg"], to: nil, hiding: [Secret("short-one")]) == nil)
        let came: JSON = ["msg": "Use new-token-1 now.", "access_token": "new-token-1"]
        #expect(ServiceText(in: came, ["msg"], to: nil) == nil)
    }

    @Test(
        "it is left out if a word of it may be a token",
        arguments: [
            "Token eyJhbGciOiJSUzI1NiJ9.eyJzdWIi.c2ln is over", "Unknown code 4f9a8c4e3ee4d3a918000d1d1b7e",
            "See https://id.example/?ticket=Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5",
        ])
    func opaque(_ words: String) { #expect(ServiceText(words) == nil) }

    @Test("an id of a request and a vendor's code are no token")
    func ids() {
        let words = "AADSTS50076: More proof is needed. Trace ID: 0d1d1b7e-4c6f-4f9a-a8c4-3ee4d3a91800"
        #expect(ServiceText(words)?.words == words)
    }

    @Test(
        "an address counts if it is https and plain",
        arguments: ["http://id.example/", "javascript:alert(1)", "https://id.example/\u{202E}", "here", ""])
    func address(_ text: String) { #expect(ServiceText(nil, address: text) == nil) }

    @Test("no description, dump or reflection of an error shows it")
    func hidden() {
        let error = AuthError(.refused(.other), "The service refused.").saying(ServiceText("very private words"))
        var refusal = Refusal(.definite, code: "invalid_grant")
        refusal.serviceText = ServiceText("very private words")
        var shown = "\(error) \(String(reflecting: error)) \(error.message) \(refusal) \(String(reflecting: refusal))"
        dump(error, to: &shown)
        dump(refusal, to: &shown)
        #expect(!shown.contains("private"))
        #expect(error.serviceText?.words == "very private words")
        #expect(AuthError(refusal).serviceText == error.serviceText)
    }
}

@Suite("Answers that are not the service's") struct ForeignAnswerTests {
    @Test(
        "each kind has a sentence in each language, which names the place and the status",
        arguments: ForeignAnswer.Kind.allCases)
    func sentences(_ kind: ForeignAnswer.Kind) {
        var answer = ForeignAnswer(
            TransportResponse(status: 499, fields: ["Server": "nginx/1.22.1"]), from: "https://id.example/token?x=1")
        answer.kind = kind
        answer.target = "https://portal.example"
        for language in TextLanguage.allCases {
            let text = answer.text(in: language)
            #expect(text.contains("https://id.example") && text.contains("499") && text.contains("nginx"))
            #expect(!text.contains("{") && !text.contains("/token") && !text.hasSuffix("."))
        }
        let error = AuthError(answer, provider: "p", retryAfter: .seconds(3))
        #expect(error.recovery == .retryLater && error.retryAfter == .seconds(3) && error.foreign == answer)
        #expect(error.text(in: .french) == answer.text(in: .french))
    }

    @Test("a redirect names another origin, and no path of it; a server that is not known is not named")
    func places() {
        func answer(_ location: String) -> ForeignAnswer {
            ForeignAnswer(
                TransportResponse(status: 302, fields: ["Location": location, "Server": "<script>"]),
                from: "https://id.example/token")
        }
        #expect(answer("https://portal.example/login?secret=1").target == "https://portal.example")
        for own in ["/login", "https://id.example/other", "", "javascript:x"] { #expect(answer(own).target == nil) }
        #expect(answer("/").product == nil)
        #expect(!answer("https://portal.example/login?secret=1").message.contains("login"))
    }
}
