import LatchkeySystem
import Testing

@testable import LatchkeyHTTPServer

/// A `Content-Length` that is no number of bytes (RFC 9110, section 8.6).
@Suite("A wrong Content-Length") struct WrongLengthTests {
    private static let lengths: [(value: String, statuses: Set<Int>)] = [
        ("-1", [400]), ("+5", [400]), ("0x5", [400]), ("5x", [400]), ("5, 5", [400]), ("", [400]), ("5 5", [400]),
        ("1.0", [400]), ("99999999999999999999999", [400, 413]), ("18446744073709551615", [400, 413]),
        ("9223372036854775808", [400, 413]),
    ]

    /// How a head arrives.
    enum Arrival: CaseIterable { case atOnce, inTwo, behindAnother, besideOthers }

    @Test("ends no server that is stopped while it refuses the request, or before it has read it")
    func stoppedMeanwhile() async throws {
        for round in 0..<300 {
            let server = try HTTPServer { _ in .text("reached") }
            let client = try RawClient(port: server.port)
            if round % 3 == 0 { _ = try await client.request("GET", "/") }
            await client.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\nabcde")
            // The answer leaves before the daemon is done with the request.
            if round % 2 == 0 { _ = try? await client.read() }
            server.stop()
            let isClosed = await client.isClosed()
            #expect(isClosed || round % 2 == 1)
        }
    }

    @Test("gets one refusal and the end of the connection, however the request arrives", arguments: Arrival.allCases)
    func refused(_ arrival: Arrival) async throws {
        for (value, statuses) in Self.lengths {
            let calls = Locked(0)
            let server = try HTTPServer { _ in
                calls.withLock { $0 += 1 }
                return .text("reached")
            }
            let client = try RawClient(port: server.port)
            var others: [RawClient] = []
            if arrival == .besideOthers {
                // One that has sent half a head, one with a head and half a body, one that has sent nothing.
                for begun in ["GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\na", ""] {
                    let other = try RawClient(port: server.port)
                    await other.write(begun)
                    others.append(other)
                }
            }
            if arrival == .behindAnother { #expect(try await client.request("GET", "/").status == 200) }
            let head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(value)\r\n\r\n"
            if arrival == .inTwo {
                await client.write(String(head.prefix(30)))
                // Another connection is served between the two.
                #expect(try await RawClient(port: server.port).request("GET", "/").status == 200)
                await client.write(String(head.dropFirst(30)) + "abcde")
            } else {
                await client.write(head + "abcde")
            }
            guard let answer = try? await client.read() else {
                Issue.record("\(value) \(arrival): no answer")
                continue
            }
            #expect(statuses.contains(answer.status), "\(value) \(arrival): \(answer.status)")
            #expect(answer.field("Connection") == "close" && answer.field("Date") != nil, "\(value) \(arrival)")
            #expect(await client.isClosed(), "\(value) \(arrival): a second answer")
            let expected = [.inTwo, .behindAnother].contains(arrival) ? 1 : 0
            #expect(calls.withLock { $0 } == expected)
            if arrival == .besideOthers {
                await others[0].write("st: x\r\n\r\n")
                await others[1].write("bcdefghi")
                for other in others[..<2] { #expect(try await other.read().status == 200, "\(value)") }
                #expect(try await others[2].request("GET", "/").status == 200)
            }
        }
    }
}
