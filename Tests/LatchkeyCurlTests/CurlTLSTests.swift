import Latchkey
import LatchkeySystem
import Proofs
import Testing

@testable import LatchkeyCurl

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("libcurl transport: TLS")
struct CurlTLSTests {
    @Test("An authority that nobody knows: tls, not sent", .standard(16))
    func unknownAuthority() async throws {
        guard let server = await TLSServer.start() else { return }
        let error = await CurlFailureTests.failure(TransportRequest("POST", "https://127.0.0.1:\(server.port)/"))
        #expect(error == TransportError(.tls, wasSent: false))
        #expect(error?.cause == .certificateSelfSigned)
    }

    @Test("The right authority, named by file: an answer")
    func knownAuthority() async throws {
        guard let server = await TLSServer.start() else { return }
        let answer = try await CurlTransport(caFile: server.caFile).send(
            TransportRequest("GET", "https://127.0.0.1:\(server.port)/"), deadline: .seconds(10))
        #expect(answer.status == 200)
    }

    @Test("The right authority for another name: tls, not sent", .standard(16))
    func otherName() async throws {
        guard let server = await TLSServer.start() else { return }
        let error = await CurlFailureTests.failure(
            TransportRequest("POST", "https://localhost:\(server.port)/"), over: CurlTransport(caFile: server.caFile))
        #expect(error == TransportError(.tls, wasSent: false))
        #expect(error?.cause == .certificateForAnotherHost)
    }

    @Test("TLS 1.1 only: tls, not sent", .law(11), .standard(16))
    func oldVersion() async throws {
        guard let server = await TLSServer.start("-tls1_1 -cipher ALL:@SECLEVEL=0") else { return }
        let error = await CurlFailureTests.failure(
            TransportRequest("POST", "https://127.0.0.1:\(server.port)/"), over: CurlTransport(caFile: server.caFile))
        #expect(error == TransportError(.tls, wasSent: false))
    }

    @Test("An authority file that is not there: tls, not sent")
    func noFile() async throws {
        guard let server = await TLSServer.start() else { return }
        let error = await CurlFailureTests.failure(
            TransportRequest("GET", "https://127.0.0.1:\(server.port)/"), over: CurlTransport(caFile: "/nowhere/ca.pem")
        )
        #expect(error == TransportError(.tls, wasSent: false))
    }

    @Test("An authority file that is replaced counts from the next connection on, for the new authority and the old")
    func replacedFile() async throws {
        guard let first = await TLSServer.start(), let second = await TLSServer.start() else { return }
        let file = first.caFile + ".link"
        defer { unlink(file) }
        let transport = CurlTransport(caFile: file)
        func refuses(_ server: TLSServer) async {
            let request = TransportRequest("POST", "https://127.0.0.1:\(server.port)/")
            #expect(await CurlFailureTests.failure(request, over: transport) == TransportError(.tls, wasSent: false))
        }
        try #require(symlink(first.caFile, file) == 0)
        await refuses(second)
        try #require(unlink(file) == 0 && symlink(second.caFile, file) == 0)
        await refuses(first)
        let answer = try await transport.send(
            TransportRequest("GET", "https://127.0.0.1:\(second.port)/"), deadline: .seconds(10))
        #expect(answer.status == 200)
    }

    @Test("A server that wants a certificate of the client is told by that, and reads nothing of the request")
    func clientCertificate() async throws {
        guard let server = await TLSServer.start("-tls1_3 -Verify 1 -verify_return_error") else { return }
        let transport = CurlTransport(caFile: server.caFile)
        let url = "https://127.0.0.1:\(server.port)/"
        let request = TransportRequest("POST", url, body: Array("grant".utf8))
        let error = await CurlFailureTests.failure(request, over: transport)
        #expect(error == TransportError(.tls, wasSent: false), "\(error.debugDescription)")
        #expect(error?.cause == .clientCertificateDemanded)
    }

    @Test("A server that offers old versions of TLS alone is told by that: by its alert, and by its own offer")
    func oldVersions() async throws {
        let alert = try RawServer(greeting: "\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}F")
        let error = await CurlFailureTests.failure(TransportRequest("POST", "https://127.0.0.1:\(alert.port)/"))
        #expect(error == TransportError(.tls, wasSent: false) && error?.cause == .tlsTooOld)
        guard let server = await TLSServer.start("-tls1_1 -cipher ALL:@SECLEVEL=0") else { return }
        let transport = CurlTransport(caFile: server.caFile)
        let other = await CurlFailureTests.failure(
            TransportRequest("POST", "https://127.0.0.1:\(server.port)/"), over: transport)
        #expect(other == TransportError(.tls, wasSent: false) && other?.cause == .tlsTooOld)
    }

    @Test(
        "A peer that speaks no TLS: tls; one that hangs up in the handshake: unreachable; neither was sent anything",
        .standard(16))
    func noTLS() async throws {
        let talker = try RawServer(greeting: "HTTP/1.1 400 Bad\r\n\r\n")
        let error = await CurlFailureTests.failure(TransportRequest("POST", "https://127.0.0.1:\(talker.port)/"))
        #expect(error == TransportError(.tls, wasSent: false))
        #expect(error?.cause == .notTLS)
        let silent = try RawServer(greeting: "")
        let second = await CurlFailureTests.failure(TransportRequest("POST", "https://127.0.0.1:\(silent.port)/"))
        #expect(second == TransportError(.unreachable, wasSent: false))
    }
}
