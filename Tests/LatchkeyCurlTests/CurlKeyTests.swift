import FoundationEssentials
import Latchkey
import LatchkeyTesting
import Testing

@testable import LatchkeyCurl

@Suite("libcurl transport: the server's key")
struct CurlKeyTests {
    private func failure(_ url: String, caFile: String? = nil) async -> TransportError? {
        await #expect(throws: TransportError.self) {
            try await CurlTransport(caFile: caFile).publicKey(of: url, deadline: .seconds(10))
        }
    }

    @Test("The key is the one that openssl computes, and no request is sent for it")
    func key() async throws {
        guard let server = await TLSServer.start(keeps: true) else { return }
        let transport = CurlTransport(caFile: server.caFile)
        let url = "https://127.0.0.1:\(server.port)/"
        for _ in 0..<2 {
            #expect(try await transport.publicKey(of: url, deadline: .seconds(10)).base64 == server.pin)
        }
        #expect(server.requests.isEmpty)
        let answer = try await transport.send(TransportRequest("GET", url), deadline: .seconds(10))
        #expect(answer.body == Array("3".utf8), "nothing of it is kept")
    }

    @Test("It can be seen although other keys are pinned, so that the pins can be set right")
    func pinned() async throws {
        guard let server = await TLSServer.start() else { return }
        let pins = try HostPins(
            "127.0.0.1", pins: [PublicKeyPin(base64: CurlPinTests.strange)],
            backups: [PublicKeyPin(base64: CurlPinTests.stranger)], expiry: .distantFuture)
        let transport = CurlTransport(caFile: server.caFile, pins: try PinnedHosts([pins]))
        let key = try await transport.publicKey(of: "https://127.0.0.1:\(server.port)", deadline: .seconds(10))
        #expect(key.base64 == server.pin)
    }

    @Test("A server that TLS does not verify has no key to pin: tls")
    func unverified() async throws {
        guard let server = await TLSServer.start() else { return }
        #expect(await failure("https://127.0.0.1:\(server.port)/") == TransportError(.tls, wasSent: false))
    }

    @Test("No server, no TLS, no URL: refused, and nothing is sent")
    func refused() async throws {
        let dead = try await RawServer.withDeadPort { await failure("https://127.0.0.1:\($0)/") }
        #expect(dead == TransportError(.unreachable, wasSent: false))
        for url in ["http://127.0.0.1:1/", "nowhere", ""] {
            #expect(await failure(url) == TransportError(.invalidRequest, wasSent: false))
        }
    }

    @Test("No time is left: timedOut; a task that was cancelled: CancellationError")
    func late() async throws {
        let error = await #expect(throws: TransportError.self) {
            try await CurlTransport().publicKey(of: "https://127.0.0.1/", deadline: .zero)
        }
        #expect(error == TransportError(.timedOut, wasSent: false))
        let task = Task { () -> Bool in
            withUnsafeCurrentTask { $0?.cancel() }
            do {
                _ = try await CurlTransport().publicKey(of: "https://127.0.0.1/", deadline: .seconds(10))
            } catch { return error is CancellationError }
            return false
        }
        #expect(await task.value)
    }
}
