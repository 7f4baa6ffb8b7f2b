import FoundationEssentials
import Latchkey
import LatchkeyLog
import LatchkeyTesting
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

@Suite("libcurl transport: pins")
struct CurlPinTests {
    /// Keys that no server here has: the examples of RFC 7469, section 2.1.5.
    static let strange = "d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM="
    static let stranger = "E9CZ9INDbd+2eRQozYqqbQ2yXLVKB9+xcprMF+44U1g="

    private let clock = ManualClock()
    private let observer = RecordingObserver()

    private func transport(
        _ server: TLSServer, host: String = "127.0.0.1", coversSubdomains: Bool = false, pin: String = strange,
        backup: String = stranger, for lifetime: Double = 3_600, mode: HostPins.Mode = .enforce, caFile: String? = nil
    ) throws -> CurlTransport {
        var context = PluginContext.system
        (context.clock, context.observer) = (PinClock(clock), observer)
        let pins = try HostPins(
            host, coversSubdomains: coversSubdomains, pins: [PublicKeyPin(base64: pin)],
            backups: [PublicKeyPin(base64: backup)], expiry: clock.wall().addingTimeInterval(lifetime), mode: mode)
        return CurlTransport(caFile: caFile ?? server.caFile, pins: try PinnedHosts([pins]), context: context)
    }

    private func get(
        _ transport: CurlTransport, _ server: TLSServer, host: String = "127.0.0.1", _ method: String = "GET"
    ) async throws -> String {
        let answer = try await transport.send(
            TransportRequest(method, "https://\(host):\(server.port)/"), deadline: .seconds(10))
        return String(decoding: answer.body, as: UTF8.self)
    }

    private func expectRefusal(
        _ transport: CurlTransport, _ url: String, _ error: TransportError.Code = .pinMismatch,
        _ comment: Comment? = nil
    ) async {
        let failure = await CurlFailureTests.failure(TransportRequest("POST", url), over: transport)
        #expect(failure == TransportError(error, wasSent: false), comment)
    }

    @Test(
        "The pinned key, first or backup: an answer, and nothing to tell", .law(16), .need("R5"),
        arguments: [true, false])
    func right(isFirst: Bool) async throws {
        guard let server = await TLSServer.start(keeps: true) else { return }
        let transport = try transport(
            server, pin: isFirst ? server.pin : Self.strange, backup: isFirst ? Self.strange : server.pin)
        #expect(try await get(transport, server) == "1")
        #expect(observer.observations.isEmpty)
    }

    @Test(
        "Another key: pinMismatch, nothing was sent, and the observer is told which key it was", .law(16), .need("R5"))
    func wrong() async throws {
        guard let server = await TLSServer.start(keeps: true) else { return }
        let transport = try transport(server)
        await expectRefusal(transport, "https://127.0.0.1:\(server.port)/")
        #expect(server.requests.isEmpty)
        let seen = try PublicKeyPin(base64: server.pin)
        #expect(observer.observations == [.pins(host: "127.0.0.1", .refused, seen: seen)])
        #expect(try await get(CurlTransport(caFile: server.caFile), server) == "2")
    }

    @Test("A refusal by pins reaches the app as one to investigate, and says what to do")
    func appError() {
        let error = AuthError(TransportError(.pinMismatch, wasSent: false))
        #expect(error.code == .untrusted(.tls) && error.recovery == .investigate)
        #expect(error.message.contains("not one of those pinned") && error.message.contains("update"))
    }

    @Test("The pins of the guide are as a transport takes them")
    func guide() throws {
        var context = PluginContext.system
        context.observer = LogObserver()
        let pins = try PinnedHosts([
            HostPins(
                "id.example.com",
                pins: [PublicKeyPin(base64: "d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM=")],
                backups: [PublicKeyPin(base64: "E9CZ9INDbd+2eRQozYqqbQ2yXLVKB9+xcprMF+44U1g=")],
                expiry: Date(timeIntervalSince1970: 1_814_400_000),
                mode: .reportOnly)
        ])
        let transport: CurlTransport = .curl(pins: pins, context: context)
        _ = transport
        #expect(pins.hosts.first?.mode == .reportOnly)
    }

    @Test("The right key does not replace the authority: tls", .law(16))
    func authority() async throws {
        guard let server = await TLSServer.start(), let other = await TLSServer.start() else { return }
        var pins = try HostPins(
            "127.0.0.1", pins: [PublicKeyPin(base64: server.pin)], backups: [PublicKeyPin(base64: Self.strange)],
            expiry: .distantFuture)
        for mode in HostPins.Mode.allCases {
            pins = try HostPins("127.0.0.1", pins: pins.pins, backups: pins.backups, expiry: pins.expiry, mode: mode)
            let transport = CurlTransport(caFile: other.caFile, pins: try PinnedHosts([pins]))
            await expectRefusal(transport, "https://127.0.0.1:\(server.port)/", .tls)
        }
    }

    @Test("A kept connection serves the next request, with pins as without")
    func kept() async throws {
        guard let server = await TLSServer.start(keeps: true) else { return }
        let transport = try transport(server, pin: server.pin)
        for _ in 0..<3 { #expect(try await get(transport, server) == "1") }
        #expect(server.requests.count == 3 && server.requests.allSatisfy { $0.hasPrefix("1 GET") })
        #expect(observer.observations.isEmpty)
    }

    @Test("Pins that are only reported: the request goes on, and the observer is told once per connection")
    func reported() async throws {
        guard let server = await TLSServer.start(keeps: true) else { return }
        let transport = try transport(server, mode: .reportOnly)
        for _ in 0..<3 { #expect(try await get(transport, server) == "1") }
        let seen = try PublicKeyPin(base64: server.pin)
        #expect(observer.observations == [.pins(host: "127.0.0.1", .reported, seen: seen)])
    }

    @Test("Pins that are only reported, and hold: nothing to tell")
    func reportedRight() async throws {
        guard let server = await TLSServer.start() else { return }
        _ = try await get(try transport(server, backup: server.pin, mode: .reportOnly), server)
        #expect(observer.observations.isEmpty)
    }

    @Test("From their expiry on pins no longer count, also for a transport that has enforced them; told once", .law(16))
    func expired() async throws {
        guard let server = await TLSServer.start() else { return }
        let transport = try transport(server, for: 60)
        clock.advance(by: .seconds(59))
        await expectRefusal(transport, "https://127.0.0.1:\(server.port)/")
        clock.advance(by: .seconds(1))
        for _ in 0..<3 { #expect(try await get(transport, server).contains("s_server")) }
        #expect(observer.observations.dropFirst() == [.pins(host: "127.0.0.1", .expired, seen: nil)])
    }

    @Test("A handle that was set up with pins does not keep them past their expiry, when the server has another key")
    func expiredHandle() async throws {
        guard let first = await TLSServer.start() else { return }
        try await TemporaryFolder.with { folder in
            let (file, port) = (folder["authority.pem"], first.port)
            try #require(symlink(first.caFile, file) == 0)
            let transport = try transport(first, pin: first.pin, for: 60, caFile: file)
            for _ in 0..<2 { #expect(try await get(transport, first).contains("s_server")) }
            first.stop()
            let second = try #require(await TLSServer.start(port: port))
            try #require(second.port == port && unlink(file) == 0 && symlink(second.caFile, file) == 0)
            clock.advance(by: .seconds(60))
            for _ in 0..<2 { #expect(try await get(transport, second).contains("s_server")) }
            #expect(observer.observations == [.pins(host: "127.0.0.1", .expired, seen: nil)])
        }
    }

    @Test("Other hosts are reached as ever")
    func unpinned() async throws {
        guard let server = await TLSServer.start(names: "IP:127.0.0.1,DNS:localhost") else { return }
        for host in ["id.example.com", "localhost"] {
            #expect(try await get(try transport(server, host: host), server).contains("s_server"))
        }
        #expect(observer.observations.isEmpty)
    }

    @Test("Pins that cover subdomains count for the name and any name below it, others for the name only")
    func subdomains() async throws {
        let names = "DNS:localhost,DNS:id.localhost,DNS:a.id.localhost"
        guard let server = await TLSServer.start(names: names) else { return }
        let covering = try transport(server, host: "localhost", coversSubdomains: true)
        for host in ["localhost", "id.localhost", "a.id.localhost"] {
            await expectRefusal(covering, "https://\(host):\(server.port)/", .pinMismatch, "\(host)")
        }
        let exact = try transport(server, host: "id.localhost")
        await expectRefusal(exact, "https://id.localhost:\(server.port)/")
        for host in ["localhost", "a.id.localhost"] {
            #expect(try await get(exact, server, host: host).contains("s_server"))
        }
    }

    @Test(
        "No other spelling of an address that libcurl connects to gets around its pins", .law(16),
        arguments: ["127.1", "0x7f.0.0.1", "2130706433", "0177.0.0.1", "127.0.0.%31", "%31%32%37.0.0.1"])
    func addresses(host: String) async throws {
        guard let server = await TLSServer.start(keeps: true) else { return }
        await expectRefusal(try transport(server), "https://\(host):\(server.port)/")
        #expect(server.requests.isEmpty)
    }

    @Test(
        "No other spelling of a name gets around its pins, and a name whose pins cannot be looked up is refused",
        .law(16))
    func names() throws {
        let pins = try HostPins(
            "id.example.com", pins: [PublicKeyPin(base64: Self.strange)],
            backups: [PublicKeyPin(base64: Self.stranger)], expiry: .distantFuture)
        let pinned = try PinnedHosts([pins])
        for host in ["id.example.com", "ID.Example.COM", "id.example.com.", "id%2Eexample.com", "%69d.example.com%2e"] {
            #expect(CurlTarget("https://\(host):8443/a", pinned)?.pins == pins, "\(host)")
        }
        for host in ["%C3%A9.example.com", "id.example.com%00.test", "id.example.com%25", "[fe80::1%25lo]"] {
            #expect(CurlTarget("https://\(host)/", pinned) == nil, "\(host)")
        }
        for host in ["example.com", "a.id.example.com", "id.example.com.test", "[::1]"] {
            let target = CurlTarget("https://\(host)/", pinned)
            #expect(target != nil && target?.pins == nil, "\(host)")
        }
    }

    @Test("A request without TLS to a pinned host is refused, or reported", .law(16))
    func withoutTLS() async throws {
        guard let server = await TLSServer.start() else { return }
        let plain = try RawServer { _ in .bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
        await expectRefusal(try transport(server, pin: server.pin), plain.url)
        #expect(plain.requests.isEmpty)
        let answer = try await transport(server, mode: .reportOnly).send(
            TransportRequest("GET", plain.url), deadline: .seconds(10))
        #expect(answer.status == 200)
        #expect(
            observer.observations == [
                .pins(host: "127.0.0.1", .refused, seen: nil), .pins(host: "127.0.0.1", .reported, seen: nil),
            ])
    }
}

/// The machine's clock, but for the wall clock, which the test moves: a real server takes real time to answer.
private struct PinClock: AuthClock {
    private let machine = SystemClock()
    private let hand: ManualClock

    init(_ hand: ManualClock) { self.hand = hand }

    var boot: String { machine.boot }
    func now() -> MonotonicInstant { machine.now() }
    func wall() -> Date { hand.wall() }
    func sleep(until instant: MonotonicInstant) async throws { try await machine.sleep(until: instant) }
}
