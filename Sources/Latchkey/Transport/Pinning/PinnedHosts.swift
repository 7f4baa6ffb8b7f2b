/// The pins of an app, as data for any transport.
///
/// A host without pins is reached as usual. Give them to a transport that keeps them, such as
/// `.curl(pins:)` of `LatchkeyCurl`.
public struct PinnedHosts: Hashable, Sendable {
    /// No pins.
    public static let none = PinnedHosts()

    private let found: [HostName: HostPins]

    private init() { found = [:] }

    /// Creates a set of pins.
    ///
    /// - Throws: `configuration(.invalid)` if a host is named twice.
    public init(_ hosts: [HostPins]) throws(AuthError) {
        var found: [HostName: HostPins] = [:]
        for pins in hosts {
            guard let name = HostName(pins.host), found.updateValue(pins, forKey: name) == nil else {
                throw AuthError(.configuration(.invalid), "The pins name \(pins.host) twice.")
            }
        }
        self.found = found
    }

    /// Whether there are no pins at all.
    public var isEmpty: Bool { found.isEmpty }

    /// The pins, sorted by host.
    public var hosts: [HostPins] { found.values.sorted { $0.host < $1.host } }

    /// Returns the pins that count for `host`: its own, else those of the nearest domain above it that cover
    /// subdomains.
    ///
    /// - Parameter host: A name or an IP address as the transport connects to it. Case, brackets and a dot at the
    ///   end do not matter.
    /// - Returns: `nil` if the host has no pins. They may have expired: see ``HostPins/counts(at:)``.
    public func pins(for host: String) -> HostPins? {
        guard !found.isEmpty, let name = HostName(host) else { return nil }
        if let own = found[name] { return own }
        return name.parents.lazy.compactMap { found[$0] }.first(where: \.coversSubdomains)
    }
}
