import FoundationEssentials
public import Latchkey

extension CurlTransport: TrustNaming {
    /// The file of authorities, the proxies without their passwords, and the pins. OpenSSL's variables for authorities,
    /// and those for proxies, count where nothing is set here.
    public var trust: String {
        let variables = ProcessInfo.processInfo.environment
        let authorities = settings.caFile.map { [$0] } ?? ["SSL_CERT_FILE", "SSL_CERT_DIR"].map { variables[$0] ?? "" }
        // libcurl is not loaded yet, so it cannot read the address.
        let proxies = settings.proxy.map { [$0] } ?? [true, false].map { CurlProxy.inEnvironment(isTLS: $0) ?? "" }
        let places = proxies.map { String($0.split(separator: "@").last ?? "") }
        let pins = settings.pins.hosts.map { pins in
            "\(pins.host) \(pins.mode) \((pins.pins + pins.backups).map { "\($0)" }.sorted().joined(separator: "+"))"
        }
        return [authorities, places, pins].map { $0.joined(separator: " ") }.joined(separator: "; ")
    }
}
