import FoundationEssentials
import Latchkey
import Testing

@Suite("Pins as data")
struct PinnedHostsTests {
    static let first = "d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM="
    static let second = "E9CZ9INDbd+2eRQozYqqbQ2yXLVKB9+xcprMF+44U1g="
    private let end = Date(timeIntervalSince1970: 2_000_000_000)

    private func pins(
        _ host: String, covers: Bool = false, _ pins: [String] = [first], _ backups: [String] = [second],
        until expiry: Date? = nil, mode: HostPins.Mode = .enforce
    ) throws -> HostPins {
        try HostPins(
            host, coversSubdomains: covers, pins: pins.map { try PublicKeyPin(base64: $0) },
            backups: backups.map { try PublicKeyPin(base64: $0) }, expiry: expiry ?? end, mode: mode)
    }

    private func refusal<Value>(_ body: () throws -> Value) -> AuthError? {
        do {
            _ = try body()
            Issue.record("It was taken.")
            return nil
        } catch {
            return error as? AuthError
        }
    }

    @Test("A pin is 32 bytes in base64, and is written as it was read")
    func pin() throws {
        let pin = try PublicKeyPin(base64: Self.first)
        #expect(pin.digest.count == 32 && pin.base64 == Self.first && "\(pin)" == Self.first)
        #expect(try PublicKeyPin(digest: pin.digest) == pin)
    }

    @Test(
        "A pin that is malformed is refused, and the error says what is wrong",
        arguments: [
            ("", "0"), ("AAAA", "has 3"), (String(repeating: "A", count: 44), "has 33"),
            ("sha256//\(first)", "leave out"), ("sha256/\(first)", "leave out"),
            ("d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM", "padding"), (" \(first)", "white space"),
            ("\(first)\n", "white space"), ("d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmN=", "base64"),
            ("E9CZ9INDbd-2eRQozYqqbQ2yXLVKB9-xcprMF-44U1g=", "\"+\""),
            (String(repeating: "0f", count: 32), "hexadecimal"), ("-----BEGIN PUBLIC KEY-----", "PEM"),
        ])
    func malformed(text: String, why: String) {
        let error = refusal { try PublicKeyPin(base64: text) }
        #expect(error?.code == .configuration(.invalid))
        #expect(error?.message.contains(why) == true, "\(error?.message ?? "")")
    }

    @Test(
        "A host is named as it is connected to",
        arguments: [
            ("*.example.com", "\"*\""), ("https://id.example.com", "without scheme"), ("id.example.com:443", "port"),
            ("id.example.com/", "path"), ("", "name"), (".", "name"), ("id..example.com", "name"),
            ("bücher.example", "ASCII"), ("-a.example", "name"), ("1.2.3", "IP address"), ("1.2.3.256", "IP address"),
            ("0x7f.1", "IP address"), ("fe80::1%eth0", "name"), ("id.example.com\n", "name"),
            (String(repeating: "a", count: 64) + ".example", "name"),
        ])
    func badHost(host: String, why: String) {
        let error = refusal { try pins(host) }
        #expect(error?.code == .configuration(.invalid))
        #expect(error?.message.contains(why) == true, "\(error?.message ?? "")")
    }

    @Test("Pins without a pin, without a backup, with one key twice, or for the subdomains of an address are refused")
    func badPins() {
        for (body, why) in [
            ({ try pins("a.example", [], [Self.second]) }, "empty"),
            ({ try pins("a.example", [Self.first], []) }, "no backup"),
            ({ try pins("a.example", [Self.first], [Self.first]) }, "twice"),
            ({ try pins("127.0.0.1", covers: true) }, "subdomains"), ({ try pins("::1", covers: true) }, "subdomains"),
            ({ try pins("a.example", until: Date(timeIntervalSince1970: .infinity)) }, "never expire"),
        ] as [(() throws -> HostPins, String)] {
            let error = refusal(body)
            #expect(error?.code == .configuration(.invalid))
            #expect(error?.message.contains(why) == true, "\(error?.message ?? "")")
        }
    }

    @Test("A host is named once, in whatever spelling")
    func twice() throws {
        let error = refusal { try PinnedHosts([pins("A.example"), pins("a.example.")]) }
        #expect(error?.code == .configuration(.invalid))
    }

    @Test("Pins are found by the host's own name, whatever its spelling, else by the nearest domain that covers it")
    func finding() throws {
        let pinned = try PinnedHosts([
            pins("example.com", covers: true), pins("b.example.com"), pins("c.b.example.com", covers: true),
            pins("::1"), pins("127.0.0.1"),
        ])
        for (host, found) in [
            ("example.com", "example.com"), ("EXAMPLE.com.", "example.com"), ("a.example.com", "example.com"),
            ("x.y.example.com", "example.com"), ("b.example.com", "b.example.com"),
            ("a.b.example.com", "example.com"), ("x.c.b.example.com", "c.b.example.com"),
            ("[::1]", "::1"), ("0:0:0:0:0:0:0:1", "::1"), ("127.0.0.1", "127.0.0.1"),
        ] { #expect(pinned.pins(for: host)?.host == found, "\(host)") }
        for host in ["com", "badexample.com", "example.com.evil.test", "1.127.0.0.1", "::2", "", "example.comx"] {
            #expect(pinned.pins(for: host) == nil, "\(host)")
        }
        #expect(PinnedHosts.none.isEmpty && PinnedHosts.none.pins(for: "example.com") == nil)
    }

    @Test("A transport of another kind judges a key by the pins, the mode and the time")
    func judging() throws {
        let (own, backup) = try (PublicKeyPin(base64: Self.first), PublicKeyPin(base64: Self.second))
        let strange = try PublicKeyPin(digest: [UInt8](repeating: 7, count: 32))
        for (mode, outcome) in [
            (HostPins.Mode.enforce, AuthObservation.PinOutcome.refused), (.reportOnly, .reported),
        ] {
            let pins = try pins("a.example", mode: mode)
            let before = end.addingTimeInterval(-1)
            #expect(pins.judge(own, at: before) == nil && pins.judge(backup, at: before) == nil)
            #expect(pins.judge(strange, at: before) == outcome && pins.judge(nil, at: before) == outcome)
            #expect(pins.judge(strange, at: end) == .expired && pins.judge(own, at: end) == .expired)
        }
    }
}
