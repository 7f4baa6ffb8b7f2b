public import FoundationEssentials

/// The keys that one host may present, in addition to a certificate that TLS verifies.
///
/// A pin never replaces the verification of the certificate: it makes it stricter.
///
/// - SeeAlso: [RFC 7469](https://www.rfc-editor.org/rfc/rfc7469), section 4.3 on backup pins. Unlike there, these
///   pins come with the app, they also count for IP addresses, and they are compared with the key of the server's own
///   certificate only, because that is what libcurl compares.
public struct HostPins: Hashable, Sendable {
    /// What happens if the host presents another key.
    public enum Mode: String, CaseIterable, Hashable, Sendable {
        /// Nothing is sent.
        case enforce
        /// The request goes on, and the observers learn of it.
        case reportOnly
    }

    /// The host's name in lower case, or its IP address.
    public let host: String
    /// Whether the pins also count for all names below ``host``, at any depth.
    public let coversSubdomains: Bool
    /// The keys in use.
    public let pins: [PublicKeyPin]
    /// The keys that are not in use yet, for the day on which the service must change its key.
    public let backups: [PublicKeyPin]
    /// From this instant on the pins no longer count, by the machine's wall clock.
    public let expiry: Date
    /// What happens if the host presents another key.
    public let mode: Mode

    /// Creates the pins of a host.
    ///
    /// - Parameters:
    ///   - host: A name such as `id.example.com`, without scheme, port and `*`, in ASCII (`xn--…`); or an IP address.
    ///   - coversSubdomains: Whether the pins count for all names below it too.
    ///   - pins: The keys in use, at least one.
    ///   - backups: At least one key that is not in use yet. Without it, a service that loses its key locks everybody
    ///     out until the app is updated.
    ///   - expiry: When the pins stop to count, so that an old build does not stay locked out for ever. Choose a
    ///     time after which most people have a newer build.
    ///   - mode: What happens if the host presents another key.
    /// - Throws: `configuration(.invalid)`; the message names the host and what is wrong.
    public init(
        _ host: String, coversSubdomains: Bool = false, pins: [PublicKeyPin], backups: [PublicKeyPin],
        expiry: Date, mode: Mode = .enforce
    ) throws(AuthError) {
        func refusal(_ why: String) -> AuthError { AuthError(.configuration(.invalid), why) }
        guard let name = HostName(host) else {
            throw refusal(
                host.hasPrefix("*")
                    ? "Pins name a host without \"*\": name the domain, and let the pins cover its subdomains."
                    : "Pins name a host by its ASCII name or IP address, without scheme, port and path.")
        }
        guard !name.isAddress || !coversSubdomains else { throw refusal("An IP address has no subdomains to pin.") }
        guard !pins.isEmpty else { throw refusal("The pins for \(name.text) are empty.") }
        guard !backups.isEmpty else {
            throw refusal("The pins for \(name.text) have no backup for the day on which the service loses its key.")
        }
        guard Set(pins + backups).count == pins.count + backups.count else {
            throw refusal("The pins for \(name.text) name a key twice: a backup is a key that is not in use.")
        }
        guard expiry.timeIntervalSince1970.isFinite else { throw refusal("The pins for \(name.text) never expire.") }
        (self.host, self.coversSubdomains) = (name.text, coversSubdomains)
        (self.pins, self.backups, self.expiry, self.mode) = (pins, backups, expiry, mode)
    }

    /// Returns whether `key` is one of the pinned ones, in use or a backup.
    public func contains(_ key: PublicKeyPin) -> Bool { pins.contains(key) || backups.contains(key) }

    /// Returns whether the pins still count at `now`.
    public func counts(at now: Date) -> Bool { now < expiry }

    /// Judges the key of a connection, for transports that compare keys themselves.
    ///
    /// - Parameters:
    ///   - key: The key of the server's own certificate; `nil` for a connection without TLS.
    ///   - now: The wall-clock time.
    /// - Returns: `nil` if the key is pinned. Otherwise tell the observers by
    ///   ``AuthObservation/pins(host:_:seen:)``; send nothing if it is `refused`.
    public func judge(_ key: PublicKeyPin?, at now: Date) -> AuthObservation.PinOutcome? {
        guard counts(at: now) else { return .expired }
        if let key, contains(key) { return nil }
        return mode == .enforce ? .refused : .reported
    }
}
