import FoundationEssentials
@testable import Latchkey
@testable import LatchkeyJSON

extension FuzzTarget {
    /// A document with pins; or, if it does not begin with `{`, a host that has pins, and after a line feed the host
    /// of a connection.
    static let pins = FuzzTarget(name: "pins", longest: 4_096) { bytes throws(Disagreement) in
        guard bytes.first == UInt8(ascii: "{") else { return try demandHosts(bytes) }
        let outcome = try Canary.outcome { () throws(AuthError) in try PinnedHosts(json: bytes) }
        switch outcome {
        case .failure(let error):
            try demand(error.code == .configuration(.invalid), "wrong pins are told as \(error.code)")
        case .success(let hosts):
            for pins in hosts.hosts { try demandStrict(pins, in: hosts) }
            let again = try Canary.outcome { () throws(AuthError) in try PinnedHosts(json: PinsOracle.document(hosts)) }
            guard case .success(hosts) = again else { throw Disagreement("pins are read again as other ones") }
        }
    }

    /// Checks what makes pins strict, and that nobody gets around them by another spelling.
    private static func demandStrict(_ pins: HostPins, in hosts: PinnedHosts) throws(Disagreement) {
        let keys = pins.pins + pins.backups
        try demand(!pins.pins.isEmpty && !pins.backups.isEmpty, "a host has no pin, or no backup")
        try demand(Set(keys.map(\.digest)).count == keys.count, "a key is pinned twice")
        try demand(keys.allSatisfy { $0.digest.count == 32 && $0.base64.utf8.count == 44 }, "a pin has another length")
        try demand(keys.allSatisfy(pins.contains), "a pinned key is not one of the pins")
        let now = pins.expiry.addingTimeInterval(-3_600)
        let outcome: AuthObservation.PinOutcome = pins.mode == .enforce ? .refused : .reported
        try demand(pins.judge(nil, at: now) == outcome, "a connection without a key keeps the pins")
        try demand(pins.judge(keys[0], at: now) == nil && pins.judge(keys[0], at: pins.expiry) == .expired, "expiry")
        let isAddress = pins.host.utf8.contains(UInt8(ascii: ":"))
        for spelling in [pins.host, pins.host.uppercased(), isAddress ? "[\(pins.host)]" : "\(pins.host)."] {
            try demand(hosts.pins(for: spelling) == pins, "another spelling of a host gets around its pins")
        }
    }

    private static func demandHosts(_ bytes: [UInt8]) throws(Disagreement) {
        let texts = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        let outcome = try Canary.outcome { () throws(AuthError) in try PinsOracle.pinned(texts[0]) }
        guard case .success(let hosts) = outcome, let pinned = hosts.hosts.first else { return }
        try demandStrict(pinned, in: hosts)
        guard texts.count == 2, let other = HostName(texts[1]) else { return }
        try demand(HostName(other.text) == other, "a host's one spelling is not read as the same")
        let isBelow = pinned.coversSubdomains && other.text.hasSuffix(".\(pinned.host)")
        let isSame = other.text == pinned.host
        try demand((hosts.pins(for: texts[1]) != nil) == (isSame || isBelow), "a host has another host's pins, or none")
        for name in other.parents {
            try demand(other.text.hasSuffix(".\(name.text)"), "a domain is not above its host")
        }
    }
}

/// Makes pins, and writes them, with other code than the reader's.
enum PinsOracle {
    static let keys = [UInt8(1), 2].compactMap { try? PublicKeyPin(digest: [UInt8](repeating: $0, count: 32)) }

    /// Pins for a host, and for all below it if it has a name.
    static func pinned(_ host: String) throws(AuthError) -> PinnedHosts {
        let covers = HostName(host)?.isAddress == false
        return try PinnedHosts([
            HostPins(
                host, coversSubdomains: covers, pins: [keys[0]], backups: [keys[1]],
                expiry: Date(timeIntervalSince1970: 1_795_176_000))
        ])
    }

    static func document(_ hosts: PinnedHosts) -> [UInt8] {
        let entries = hosts.hosts.map { pins -> JSON in
            .object([
                "host": .string(pins.host), "coversSubdomains": .bool(pins.coversSubdomains),
                "pins": .array(pins.pins.map { .string(text($0)) }),
                "backups": .array(pins.backups.map { .string(text($0)) }),
                "expiry": .string(pins.expiry.formatted(.iso8601)), "mode": .string(pins.mode.rawValue),
            ])
        }
        return JSON.object(["hosts": .array(entries)]).serialized()
    }

    private static func text(_ pin: PublicKeyPin) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: pin.digest.count, by: 3) {
            let part = pin.digest[start..<min(start + 3, pin.digest.count)]
            let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for place in 0...3 { text.append(place <= part.count ? letters[bits >> (18 - 6 * place) & 63] : 0x3D) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
