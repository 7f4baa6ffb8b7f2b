import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Testing

@Suite("Scripted and recorded transports")
struct ScriptedTransportTests {
    let url = "https://id.example.com/token"

    @Test("what is not expected is not sent, and reported") func unexpected() async throws {
        let transport = ScriptedTransport()
        await #expect(throws: TransportError(.unreachable, wasSent: false)) {
            try await transport.send(TransportRequest("GET", url + "?secret=1"), deadline: .seconds(1))
        }
        let violation = #expect(throws: ContractViolation.self) { try transport.verifyFinished() }
        #expect(violation?.detail == "GET \(url) was sent")
    }

    @Test("what is expected and not sent is reported") func missing() throws {
        let transport = ScriptedTransport()
        transport.expect("POST", url, .answer(TransportResponse(status: 200)))
        #expect(throws: ContractViolation.self) { try transport.verifyFinished() }
    }

    @Test("answers come in order, each once, and one can be held back") func order() async throws {
        let transport = ScriptedTransport()
        let latch = Latch()
        transport.expect("POST", url, .answer(TransportResponse(status: 200)), heldBy: latch)
        transport.expect("POST", url, .failure(TransportError(.timedOut, wasSent: true)))
        let first = Task { try await transport.send(TransportRequest("POST", url), deadline: .seconds(1)).status }
        try await transport.waitForRequests(1)
        await #expect(throws: TransportError(.timedOut, wasSent: true)) {
            try await transport.send(TransportRequest("POST", url), deadline: .seconds(1))
        }
        latch.open()
        #expect(try await first.value == 200)
        try transport.verifyFinished()
    }

    static let recording = """
        {"server": "x", "exchanges": [
          {"name": "meta", "request": {"method": "GET", "url": "https://a.example/m", "headers": {}, "form": null},
           "response": {"status": 200, "headers": [["X-A", "1"], ["X-A", "2"]], "body": "{}"}},
          {"name": "code", "request": {"method": "POST", "url": "https://a.example/t",
            "form": {"grant_type": "authorization_code", "x": "a b"}},
           "response": {"status": 201, "headers": [], "body": ""}},
          {"name": "refresh", "request": {"method": "POST", "url": "https://a.example/t",
            "form": {"grant_type": "refresh_token"}},
           "response": {"status": 202, "headers": [], "body": ""}}]}
        """

    func post(_ body: String, to transport: RecordedTransport) throws -> Int {
        try transport.send(
            TransportRequest("POST", "https://a.example/t", body: Array(body.utf8)), deadline: .seconds(1)
        ).status
    }

    @Test("a recording answers by method, address and named members, each exchange once") func recorded() throws {
        let transport = try RecordedTransport(Array(Self.recording.utf8), matching: ["grant_type", "x"])
        for _ in 1...2 {
            let meta = try transport.send(TransportRequest("GET", "https://a.example/m"), deadline: .seconds(1))
            #expect(meta.fields.all("x-a") == ["1", "2"])
        }
        #expect(try post("grant_type=refresh_token", to: transport) == 202)
        #expect(throws: TransportError.self) { try post("grant_type=refresh_token", to: transport) }
        #expect(throws: TransportError.self) { try post("grant_type=authorization_code&x=a", to: transport) }
        #expect(transport.unused == ["code"])
        #expect(try post("x=a+b&grant_type=authorization%5Fcode", to: transport) == 201)
        #expect(throws: ContractViolation.self) { try transport.verifyKnown() }
    }

    @Test("what is no recording is refused", arguments: ["[]", "{}", "{\"exchanges\":[{}]}", "{\"exchanges\":1}"])
    func damaged(text: String) {
        #expect(throws: JSONError.self) { try RecordedTransport(Array(text.utf8)) }
    }
}
