import Latchkey
import LatchkeyTesting
import Testing

@Suite("what a failed request says") struct TransportMessageTests {
    @Test("every cause has a sentence of its own, which names the host")
    func causes() {
        var sentences: Set<String> = []
        for cause in TransportError.Cause.allCases {
            var error = TransportError(.unreachable, wasSent: false, cause: cause)
            error.origin = "https://id.example.com:8443"
            #expect(error.message.contains("https://id.example.com:8443") && error.message.hasSuffix("."))
            sentences.insert(error.message)
        }
        #expect(sentences.count == TransportError.Cause.allCases.count)
    }

    @Test("without a host it is the service, and no sentence holds more of the address than the origin")
    func plain() async throws {
        #expect(TransportError(.unreachable, wasSent: false).message == "The service cannot be reached.")
        #expect(TransportError(.interrupted, wasSent: true).message == "The connection to the service broke.")
        let transport = ScriptedTransport()
        let url = "https://id.example.com/token?code=s3cr3t"
        transport.expect("GET", url, .failure(TransportError(.unreachable, wasSent: false, cause: .noSuchHost)))
        let measured = MeasuredTransport(transport, .testing())
        let error = await #expect(throws: TransportError.self) {
            try await measured.send(TransportRequest("GET", url), deadline: .seconds(1))
        }
        #expect(error?.message.hasPrefix("https://id.example.com cannot be reached: there is no such host") == true)
        #expect(error?.message.contains("s3cr3t") == false)
    }
}
