import FoundationEssentials
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

@Suite("Retrying transport", .timeLimit(.minutes(1))) struct RetryingTests {
    private static let url = "https://api.example.com/thing"

    /// What one try does.
    private enum Try: Sendable {
        case status(Int, HeaderFields = [:])
        case fails(TransportError.Code, wasSent: Bool = true)
        case throwsForeign
    }

    private struct Foreign: Error {}

    /// A retrying transport over a script, on a clock that needs no waiting, with all jitter at its limit or at zero.
    private struct Bench {
        let clock = InstantClock()
        let transport = ScriptedTransport()
        let observer = RecordingObserver()
        let retrying: Retrying<ScriptedTransport>

        init(_ policy: RetryPolicy = RetryPolicy(), jitter: UInt8 = 0xFF) {
            let context = PluginContext(
                clock: clock, random: { [UInt8](repeating: jitter, count: $0) }, files: SimulatedFiles(),
                observer: observer, start: { _, work in Task.detached { await work() } })
            retrying = Retrying(wrapping: transport, policy: policy, context: context)
        }

        func script(_ method: String, _ tries: [Try], taking: Duration = .zero) {
            for one in tries {
                transport.expect(
                    method, RetryingTests.url,
                    .made { [clock] _ in
                        clock.advance(by: taking)
                        switch one {
                        case .status(let status, let fields): return TransportResponse(status: status, fields: fields)
                        case .fails(let code, let wasSent): throw TransportError(code, wasSent: wasSent)
                        case .throwsForeign: throw Foreign()
                        }
                    })
            }
        }

        /// The status, or what was thrown.
        func outcome(_ method: String = "GET", _ fields: HeaderFields = [:], deadline: Duration = .seconds(60)) async
            -> String
        {
            do {
                let request = TransportRequest(method, RetryingTests.url, fields: fields)
                return "\(try await retrying.send(request, deadline: deadline).status)"
            } catch {
                return "\(error)"
            }
        }

        /// The waits in milliseconds, rounded.
        var waits: [Int] {
            clock.sleeps.map { Int(($0 / .milliseconds(1)).rounded()) }
        }
    }

    private struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var method = "GET"
        var fields: HeaderFields = [:]
        var deadline = Duration.seconds(60)
        var tries: [Try]
        var outcome: String
        var waits: [Int]

        init(
            _ name: String, by method: String = "GET", with fields: HeaderFields = [:],
            deadline: Duration = .seconds(60),
            _ tries: [Try], _ outcome: String, waits: [Int] = []
        ) {
            (testDescription, self.method, self.fields, self.deadline) = (name, method, fields, deadline)
            (self.tries, self.outcome, self.waits) = (tries, outcome, waits)
        }
    }

    /// With jitter at its limit, so that the limits show.
    private static let rows = [
        Row("a good answer is returned", [.status(200)], "200"),
        Row("503 is tried again", [.status(503), .status(200)], "200", waits: [250]),
        Row(
            "the limit doubles, and tries end", [.status(503), .status(502), .status(504), .status(429)], "429",
            waits: [250, 500, 1_000]),
        Row("500 is an answer", [.status(500)], "500"), Row("501 is an answer", [.status(501)], "501"),
        Row("408 is an answer", [.status(408)], "408"), Row("302 is an answer", [.status(302)], "302"),
        Row("401 is an answer", [.status(401)], "401"), Row("404 is an answer", [.status(404)], "404"),
        Row("unreachable", [.fails(.unreachable, wasSent: false), .status(204)], "204", waits: [250]),
        Row("interrupted", [.fails(.interrupted), .status(204)], "204", waits: [250]),
        Row("timed out early", [.fails(.timedOut), .status(204)], "204", waits: [250]),
        Row("TLS", [.fails(.tls, wasSent: false)], "tls, not sent"),
        Row("pins", [.fails(.pinMismatch, wasSent: false)], "pinMismatch, not sent"),
        Row("too large", [.fails(.tooLarge)], "tooLarge, may have been sent"),
        Row("no request", [.fails(.invalidRequest, wasSent: false)], "invalidRequest, not sent"),
        Row("an unknown error", [.throwsForeign], "Foreign()"),
        Row(
            "not sent is said only when no try was", Array(repeating: .fails(.unreachable, wasSent: false), count: 4),
            "unreachable, not sent", waits: [250, 500, 1_000]),
        Row(
            "an earlier try may have arrived",
            [.fails(.interrupted)] + Array(repeating: .fails(.unreachable, wasSent: false), count: 3),
            "unreachable, may have been sent", waits: [250, 500, 1_000]),
        Row(
            "an earlier try was answered",
            [.status(503)] + Array(repeating: .fails(.unreachable, wasSent: false), count: 3),
            "unreachable, may have been sent", waits: [250, 500, 1_000]),
        Row(
            "Retry-After in seconds, and the random wait on top", [.status(503, ["Retry-After": "7"]), .status(200)],
            "200", waits: [7_250]),
        Row(
            "Retry-After as a date",
            [
                .status(429, ["Retry-After": "Fri, 15 Jan 2027 08:00:09 GMT"]),
                .status(200),
            ], "200", waits: [9_250]),
        Row(
            "Retry-After that cannot be read", [.status(503, ["Retry-After": "soon"]), .status(200)], "200",
            waits: [250]),
        Row("Retry-After beyond the deadline", [.status(503, ["Retry-After": "60"])], "503"),
        Row("Retry-After of a day", [.status(429, ["Retry-After": "86400"])], "429"),
        Row("a wait that does not fit", deadline: .milliseconds(249), [.status(503)], "503"),
        Row("a wait that just fits", deadline: .milliseconds(251), [.status(503), .status(200)], "200", waits: [250]),
        Row("HEAD", by: "HEAD", [.status(503), .status(200)], "200", waits: [250]),
        Row("OPTIONS", by: "OPTIONS", [.status(503), .status(200)], "200", waits: [250]),
        Row("PUT", by: "PUT", [.status(503), .status(200)], "200", waits: [250]),
        Row("DELETE", by: "DELETE", [.status(503), .status(200)], "200", waits: [250]),
        Row("a conditional PUT", by: "PUT", with: ["if-match": "\"a\""], [.status(503)], "503"),
        Row("a conditional DELETE", by: "DELETE", with: ["If-Unmodified-Since": "x"], [.status(503)], "503"),
        Row("POST", by: "POST", [.status(503, ["Retry-After": "0"])], "503"),
        Row("a POST that did not leave", by: "POST", [.fails(.unreachable, wasSent: false)], "unreachable, not sent"),
        Row("PATCH", by: "PATCH", [.status(503)], "503"), Row("CONNECT", by: "CONNECT", [.status(503)], "503"),
        Row("get in small letters is another method", by: "get", [.status(503)], "503"),
    ]

    @Test(
        "only what is safe and may help is sent again", .complaint(.supabase, 27), .complaint(.clerk, 34),
        arguments: rows)
    private func table(row: Row) async throws {
        let bench = Bench()
        bench.script(row.method, row.tries)
        #expect(await bench.outcome(row.method, row.fields, deadline: row.deadline) == row.outcome)
        #expect(bench.waits == row.waits)
        try bench.transport.verifyFinished()
        #expect(bench.observer.count == row.waits.count)
    }

    @Test("the wait is random between nothing and the limit, which ends at the cap")
    func jitter() async throws {
        var policy = RetryPolicy()
        (policy.attempts, policy.cap) = (6, .seconds(1))
        let longest = Bench(policy)
        longest.script("GET", Array(repeating: .status(503), count: 6))
        #expect(await longest.outcome() == "503")
        #expect(longest.waits == [250, 500, 1_000, 1_000, 1_000])
        let shortest = Bench(policy, jitter: 0)
        shortest.script("GET", Array(repeating: .status(503), count: 6))
        #expect(await shortest.outcome() == "503")
        #expect(shortest.waits == [0, 0, 0, 0, 0])
        let clock = InstantClock()
        let transport = ScriptedTransport()
        transport.always("GET", Self.url, .answer(TransportResponse(status: 503)))
        policy.budgetReserve = 1_000
        let retrying = Retrying(wrapping: transport, policy: policy, context: .testing(clock: clock, seed: 3))
        for _ in 0..<40 { _ = try await retrying.send(TransportRequest("GET", Self.url), deadline: .seconds(60)) }
        #expect(clock.sleeps.count == 200)
        #expect(clock.sleeps.allSatisfy { $0 >= .zero && $0 < .seconds(1) })
        #expect(Set(clock.sleeps).count > 190)
    }

    @Test("every try has the rest of the deadline, and none begins after it")
    func deadline() async throws {
        let bench = Bench()
        let rests = Locked<[Duration]>([])
        struct Noting: HTTPTransport {
            let inner: ScriptedTransport
            let rests: Locked<[Duration]>
            func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
                rests.withLock { $0.append(deadline) }
                return try await inner.send(request, deadline: deadline)
            }
        }
        let context = PluginContext(
            clock: bench.clock, random: { [UInt8](repeating: 0, count: $0) }, files: SimulatedFiles(),
            start: { _, work in Task.detached { await work() } })
        let retrying = Retrying(wrapping: Noting(inner: bench.transport, rests: rests), context: context)
        bench.script("GET", [.status(503), .status(503), .fails(.timedOut)], taking: .seconds(4))
        let error = await #expect(throws: TransportError.self) {
            try await retrying.send(TransportRequest("GET", Self.url), deadline: .seconds(10))
        }
        #expect(error == TransportError(.timedOut, wasSent: true))
        #expect(rests.withLock { $0 } == [.seconds(10), .seconds(6), .seconds(2)])
        try bench.transport.verifyFinished()
    }

    @Test("a service that is down gets a tenth more requests and the reserve, not four times as many")
    func budget() async throws {
        let bench = Bench(jitter: 0)
        bench.transport.always("GET", Self.url, .answer(TransportResponse(status: 503)))
        for _ in 0..<1_000 { #expect(await bench.outcome() == "503") }
        let sent = bench.transport.requests.count
        #expect((1_100...1_111).contains(sent), "\(sent) requests")
        // Good times fill it again, up to the reserve.
        var none = RetryPolicy()
        (none.budgetPercent, none.budgetReserve) = (-5, -5)
        let empty = Bench(none)
        empty.script("GET", [.status(503)])
        #expect(await empty.outcome() == "503")
        try empty.transport.verifyFinished()
    }

    @Test("what was saved in good times is spent in bad ones, up to the reserve")
    func savings() {
        let budget = RetryBudget(percent: 50, reserve: 2)
        #expect([budget.take(), budget.take(), budget.take()] == [true, true, false])
        budget.noteRequest()
        #expect(!budget.take())
        budget.noteRequest()
        #expect(budget.take())
        for _ in 0..<100 { budget.noteRequest() }
        #expect([budget.take(), budget.take(), budget.take()] == [true, true, false])
    }

    @Test("one try, or none, turns retrying off", arguments: [1, 0, -1])
    func off(attempts: Int) async throws {
        var policy = RetryPolicy()
        policy.attempts = attempts
        let bench = Bench(policy)
        bench.script("GET", [.status(503)])
        #expect(await bench.outcome() == "503")
        try bench.transport.verifyFinished()
    }

    @Test("cancelling ends a wait at once, and nothing more is sent")
    func cancelled() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport()
        transport.expect("GET", Self.url, .answer(TransportResponse(status: 503)))
        let retrying = Retrying(wrapping: transport, context: .testing(clock: clock))
        let sending = Task { try await retrying.send(TransportRequest("GET", Self.url), deadline: .seconds(60)) }
        try await clock.waitForSleepers()
        sending.cancel()
        await #expect(throws: CancellationError.self) { try await sending.value }
        try transport.verifyFinished()
        #expect(transport.requests.count == 1)
    }

    @Test("each retry is observed, without the address's path")
    func observed() async {
        let bench = Bench()
        bench.script("GET", [.status(503), .fails(.interrupted), .status(200)])
        _ = await bench.outcome()
        #expect(
            bench.observer.observations.map { observation in
                guard case .retry(let method, let origin, let status, _) = observation else { return "other" }
                return "\(method) \(origin) \(status.map(String.init) ?? "-")"
            } == ["GET https://api.example.com 503", "GET https://api.example.com -"])
    }

    @Test("a request that says whether it may be written twice is taken at its word")
    func said() async throws {
        let bench = Bench()
        var once = TransportRequest("GET", Self.url)
        once.writing = .once
        var unrepeated = TransportRequest("PUT", Self.url)
        unrepeated.mayBeRepeated = false
        for request in [once, unrepeated] {
            bench.script(request.method, [.status(503)])
            #expect(try await bench.retrying.send(request, deadline: .seconds(60)).status == 503)
        }
        var twice = TransportRequest("POST", Self.url, fields: ["Idempotency-Key": "1"])
        twice.writing = .twice
        bench.script("POST", [.status(503), .status(200)])
        #expect(try await bench.retrying.send(twice, deadline: .seconds(60)).status == 200)
        try bench.transport.verifyFinished()
    }

    @Test("bodies and fields of a repeated request are the same each time")
    func same() async throws {
        let bench = Bench()
        bench.script("PUT", [.status(503), .status(200)])
        _ = try await bench.retrying.send(
            TransportRequest("PUT", Self.url, fields: ["X-One": "1"], body: [1, 2, 3]), deadline: .seconds(60))
        #expect(bench.transport.requests.map(\.body) == [[1, 2, 3], [1, 2, 3]])
        #expect(bench.transport.requests.map { $0.fields["X-One"] } == ["1", "1"])
    }
}
