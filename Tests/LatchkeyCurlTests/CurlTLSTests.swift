import Latchkey
import LatchkeyLocked
import Testing

@testable import LatchkeyCurl

@Suite("libcurl transport: TLS")
struct CurlTLSTests {
    @Test("An authority that nobody knows: tls, not sent")
    func unknownAuthority() async throws {
        guard let server = await TLSServer.start() else { return }
        let error = await CurlFailureTests.failure(HTTPRequest("POST", "https://127.0.0.1:\(server.port)/"))
        #expect(error == TransportError(.tls, wasSent: false))
    }

    @Test("The right authority, named by file: an answer")
    func knownAuthority() async throws {
        guard let server = await TLSServer.start() else { return }
        let answer = try await CurlTransport(caFile: server.caFile).send(
            HTTPRequest("GET", "https://127.0.0.1:\(server.port)/"), deadline: .seconds(10))
        #expect(answer.status == 200)
    }

    @Test("The right authority for another name: tls, not sent")
    func otherName() async throws {
        guard let server = await TLSServer.start() else { return }
        let error = await CurlFailureTests.failure(
            HTTPRequest("POST", "https://localhost:\(server.port)/"), over: CurlTransport(caFile: server.caFile))
        #expect(error == TransportError(.tls, wasSent: false))
    }

    @Test("TLS 1.1 only: tls, not sent")
    func oldVersion() async throws {
        guard let server = await TLSServer.start("-tls1_1 -cipher ALL:@SECLEVEL=0") else { return }
        let error = await CurlFailureTests.failure(
            HTTPRequest("POST", "https://127.0.0.1:\(server.port)/"), over: CurlTransport(caFile: server.caFile))
        #expect(error == TransportError(.tls, wasSent: false))
    }

    @Test("An authority file that is not there: tls, not sent")
    func noFile() async throws {
        guard let server = await TLSServer.start() else { return }
        let error = await CurlFailureTests.failure(
            HTTPRequest("GET", "https://127.0.0.1:\(server.port)/"), over: CurlTransport(caFile: "/nowhere/ca.pem"))
        #expect(error == TransportError(.tls, wasSent: false))
    }

    @Test("A peer that speaks no TLS: tls; one that hangs up in the handshake: unreachable; neither was sent anything")
    func noTLS() async throws {
        let talker = try RawServer(greeting: "HTTP/1.1 400 Bad\r\n\r\n")
        let error = await CurlFailureTests.failure(HTTPRequest("POST", "https://127.0.0.1:\(talker.port)/"))
        #expect(error == TransportError(.tls, wasSent: false))
        let silent = try RawServer(greeting: "")
        let second = await CurlFailureTests.failure(HTTPRequest("POST", "https://127.0.0.1:\(silent.port)/"))
        #expect(second == TransportError(.unreachable, wasSent: false))
    }
}
