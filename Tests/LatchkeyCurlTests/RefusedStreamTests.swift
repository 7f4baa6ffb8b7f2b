import Latchkey
import LatchkeySystem
import Proofs
import Testing

@testable import LatchkeyCurl

@Suite("libcurl transport: requests that a service of HTTP/2 refuses before it has begun with them", .serialized)
struct RefusedStreamTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var plan: [String]
        var method = "POST"
        /// The protocol and the connection of each request.
        var requests: [String]
        /// The failure; `nil` if it is answered.
        var failure: TransportError?
    }

    static let unsent = TransportError(.interrupted, wasSent: false)
    static let lost = TransportError(.interrupted, wasSent: true)
    static let rows = [
        Row(testDescription: "REFUSED_STREAM", plan: ["refused", "ok"], requests: ["2 1", "2 2"]),
        Row(testDescription: "HTTP_1_1_REQUIRED", plan: ["old", "ok"], requests: ["2 1", "1 2"]),
        Row(testDescription: "GOAWAY before the stream", plan: ["away", "ok"], requests: ["2 1", "2 2"]),
        Row(testDescription: "GOAWAY that wants HTTP/1.1", plan: ["away-old", "ok"], requests: ["2 1", "1 2"]),
        Row(testDescription: "REFUSED_STREAM always", plan: ["refused"], requests: ["2 1", "2 2"], failure: unsent),
        Row(testDescription: "GOAWAY always", plan: ["away"], requests: ["2 1", "2 2"], failure: unsent),
        Row(
            testDescription: "one refusal, then another", plan: ["away", "refused", "ok"],
            requests: ["2 1", "2 2", "2 3"]),
        Row(
            testDescription: "GOAWAY with the stream as the last", plan: ["last", "ok"], requests: ["2 1"],
            failure: lost),
        Row(testDescription: "INTERNAL_ERROR", plan: ["broken", "ok"], requests: ["2 1"], failure: lost),
        Row(
            testDescription: "REFUSED_STREAM in the middle of an answer", plan: ["headed", "ok"], requests: ["2 1"],
            failure: lost),
        Row(testDescription: "GET, GOAWAY", plan: ["away", "ok"], method: "GET", requests: ["2 1", "2 2"]),
        Row(testDescription: "GET, REFUSED_STREAM", plan: ["refused", "ok"], method: "GET", requests: ["2 1", "2 2"]),
        Row(testDescription: "GET, HTTP_1_1_REQUIRED", plan: ["old", "ok"], method: "GET", requests: ["2 1", "1 2"]),
    ]

    @Test("are sent once more, over HTTP/1.1 if that is wanted; nothing else is", .law(6), arguments: rows)
    func refused(row: Row) async throws {
        guard let server = try await StreamServer.start(row.plan) else { return }
        let transport = CurlTransport(caFile: server.caFile)
        let body: [UInt8]? = row.method == "POST" ? Array("grant_type=refresh_token".utf8) : nil
        do {
            let answer = try await transport.send(
                TransportRequest(row.method, server.url, body: body), deadline: .seconds(30))
            #expect(answer.status == 200 && row.failure == nil)
        } catch let error as TransportError {
            #expect(error == row.failure)
        }
        #expect(server.requests == row.requests)
    }

    @Test("over a kept connection too, as far as libcurl tells a refusal from a connection that died")
    func kept() async throws {
        for (step, requests, failure) in [
            ("away", ["2 1", "2 1", "2 2"], nil), ("old", ["2 1", "2 1", "1 2"], nil),
            ("refused", ["2 1", "2 1"], Self.lost), ("broken", ["2 1", "2 1"], Self.lost),
        ] as [(String, [String], TransportError?)] {
            guard let server = try await StreamServer.start(["ok", step, "ok"]) else { return }
            let transport = CurlTransport(caFile: server.caFile)
            _ = try await transport.send(TransportRequest("GET", server.url), deadline: .seconds(30))
            var request = TransportRequest("POST", server.url, body: [0x61])
            request.writing = .once
            do {
                #expect(try await transport.send(request, deadline: .seconds(30)).status == 200 && failure == nil)
            } catch let error as TransportError {
                #expect(error == failure, "\(step)")
            }
            #expect(server.requests == requests, "\(step)")
        }
    }
}
