import BridgeSamples
import Foundation
import Latchkey
import LatchkeyTesting
import Testing
import Tracing

@testable import LatchkeyTracing

@Suite struct TracingObserverTests {
    private static let second: UInt64 = 1_000_000_000
    private let tracer = RecordingTracer()
    private let clock = ManualClock(wall: Date(timeIntervalSince1970: 1_800_000_000))

    /// The span of one observation.
    private func span(_ observation: AuthObservation) throws -> RecordingTracer.Made.State {
        TracingObserver(tracer, clock: clock).observe(observation)
        return try #require(tracer.spans.last)
    }

    @Test("a request is a client's span, named by its method, with the times at which it began and ended")
    func request() throws {
        let found = try span(
            .request(method: "GET", origin: "https://id.example.com:8443", status: 204, took: .milliseconds(1_500)))
        #expect(found.name == "GET" && found.kind == .client && found.status == nil)
        #expect(found.end == 1_800_000_000 * Self.second)
        #expect(found.start == 1_800_000_000 * Self.second - Self.second * 3 / 2)
        #expect(
            found.values == [
                "http.request.method": "GET", "url.scheme": "https", "server.address": "id.example.com",
                "server.port": .int64(8_443), "http.response.status_code": .int64(204),
            ])
    }

    @Test(
        "an answer that is an error, or none, is an error of the span; no other is",
        arguments: [
            (200, nil), (302, nil), (304, nil), (400, "400"), (401, "401"), (429, "429"), (503, "503"),
            (Int?.none, "_OTHER"),
        ] as [(Int?, String?)])
    func failures(status: Int?, type: String?) throws {
        let found = try span(.request(method: "GET", origin: "https://a.example", status: status, took: .zero))
        #expect(found.status == (type == nil ? nil : SpanStatus(code: .error)))
        #expect(found.values["error.type"] == type.map(SpanAttribute.string))
    }

    @Test("a method that nobody knows is not repeated")
    func method() throws {
        for text in Samples.foreign + ["get", "BREW"] {
            let found = try span(.request(method: text, origin: "https://a.example", status: 200, took: .zero))
            #expect(found.name == "HTTP" && found.values["http.request.method"] == "_OTHER")
        }
    }

    @Test("an origin has scheme, host and port; the port is the scheme's where none is named")
    func origins() throws {
        for (origin, host, port) in [
            ("https://a.example", "a.example", 443), ("http://127.0.0.1", "127.0.0.1", 80),
            ("http://127.0.0.1:8400", "127.0.0.1", 8_400), ("https://[::1]", "[::1]", 443),
            ("https://[::1]:8443", "[::1]", 8_443),
        ] {
            let parts = try #require(OriginParts(origin))
            #expect(parts.host == host && parts.port == port)
        }
    }

    @Test("what is more than an origin, or none, is left out of the span")
    func noOrigins() throws {
        let texts =
            Samples.foreign + [
                "a.example", "https://", "https://a.example/path", "https://a.example?q", "https://u:p@a.example",
                "https://a.example:x", "https://a.example:0", "://a.example", "https://a.example#f",
            ]
        for text in texts {
            let found = try span(.request(method: "GET", origin: text, status: 200, took: .zero))
            #expect(found.values["server.address"] == nil && found.values["url.scheme"] == nil)
        }
    }

    @Test(
        "a refresh is a span that fails as it failed",
        arguments: [
            (AuthObservation.RefreshOutcome.refreshed, false), (.adopted, false), (.signedOut, false), (.refused, true),
            (.unexplained, true), (.notSent, true), (.unknown, true), (.busy, true), (.storeFailed, true),
            (.heldOff, true), (.notDurable, true),
        ])
    func refresh(outcome: AuthObservation.RefreshOutcome, isFailure: Bool) throws {
        let found = try span(.refresh("notes", outcome, took: .seconds(1)))
        #expect(found.name == "latchkey.refresh" && found.kind == .internal)
        #expect(found.end.map { $0 - found.start } == Self.second)
        #expect(found.values["latchkey.outcome"] == .string(outcome.rawValue))
        #expect(found.values["error.type"] == (isFailure ? .string(outcome.rawValue) : nil))
    }

    @Test("a sign-in is a span with provider and method, and its error's name")
    func signIn() throws {
        let good = try span(.signIn("notes", .password, failure: nil, took: .seconds(4)))
        #expect(good.name == "latchkey.sign_in" && good.status == nil)
        #expect(good.values == ["latchkey.provider": "notes", "latchkey.method": "password"])
        let bad = try span(.signIn("notes", nil, failure: .refused(.wrongInput), took: .zero))
        #expect(bad.status?.code == .error && bad.status?.message == nil)
        #expect(bad.values == ["latchkey.provider": "notes", "error.type": "refused.wrongInput"])
    }

    @Test("nothing else is a span, and every span that is started ends")
    func others() {
        let observer = TracingObserver(tracer, clock: clock)
        for observation in Samples.all { observer.observe(observation) }
        #expect(tracer.count == 6 && tracer.spans.count == 6)
        #expect(Set(tracer.spans.map(\.name)) == ["GET", "POST", "latchkey.refresh", "latchkey.sign_in"])
    }

    @Test("a duration that is negative, or older than 1970, makes no span that ends before it began")
    func durations() throws {
        for took in [Duration.seconds(-5), .seconds(Int64.max / 2), .seconds(1_800_000_001)] {
            let found = try span(.refresh("notes", .refreshed, took: took))
            #expect(found.end.map { $0 >= found.start } == true)
        }
        #expect(ObservedInstant(Date(timeIntervalSince1970: -1)).nanosecondsSinceEpoch == 0)
    }

    @Test("the bridge keeps the contract of observers")
    func contract() async throws {
        try await ObserverContract { TracingObserver(RecordingTracer()) }.run()
    }

    @Test("no span holds a secret, an address beyond its origin, or who the person is")
    func canary() async throws {
        try await Life.run(TracingObserver(tracer, clock: clock))
        let text = tracer.spans.map { "\($0.name) \($0.values)" }.joined(separator: "\n")
        for word in ["api.example.com", "latchkey.refresh", "latchkey.sign_in", "401"] {
            #expect(text.contains(word), "the observer was not heard: \(word)")
        }
        #expect(Life.secrets.filter(text.contains).map(\.utf8.count).isEmpty)
    }
}
