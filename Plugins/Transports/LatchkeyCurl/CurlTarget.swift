import CCurl
import Latchkey
import LatchkeySystem

/// The destination of a request: a checked URL, with what libcurl and the queues need from it.
final class CurlTarget: Sendable {
    let url: String
    let origin: String
    /// The host as the URL spells it, in lower case.
    let host: String
    let isTLS: Bool
    /// Whether the host is this machine, for which no proxy is used.
    let isLocal: Bool
    /// Whether the target may be cached: a query may hold a secret or a one-time value.
    let isKept: Bool
    /// The pins of the host, which may have expired; `nil` if it has none.
    let pins: HostPins?

    /// Returns `nil` for a URL that libcurl must not see: another scheme, or bytes that could start another line. If
    /// there are pins, also for a host whose pins cannot be looked up.
    init?(_ url: String, _ pinned: PinnedHosts = .none) {
        guard Self.isPrintable(url), let address = WebAddress(url), ["https", "http"].contains(address.scheme) else {
            return nil
        }
        self.url = url
        (origin, host) = (address.origin, address.host)
        isTLS = address.scheme == "https"
        let isShortened = address.host.hasPrefix("127.") && address.host.allSatisfy { $0 == "." || $0.isNumber }
        isLocal = address.isLoopback || isShortened || address.host.hasSuffix(".localhost")
        isKept = address.query == nil
        if pinned.isEmpty {
            pins = nil
        } else {
            guard let host = Self.host(of: url) else { return nil }
            pins = pinned.pins(for: host)
        }
    }

    /// Returns the host that libcurl connects to. It decodes `%41`, and takes `127.1` and `0x7f000001` for addresses;
    /// whoever spells a host like that must not get around its pins. `nil` for one that would be translated further.
    private static func host(of url: String) -> String? {
        guard (try? CurlLibrary.need()) != nil else { return nil }
        let address = shim_curl_url()
        defer { shim_curl_url_cleanup(address) }
        guard shim_curl_url_set(address, CURLUPART_URL, url, CurlHandle.addressFlags) == CURLUE_OK else { return nil }
        var text: UnsafeMutablePointer<CChar>?
        guard shim_curl_url_get(address, CURLUPART_HOST, &text, 0) == CURLUE_OK, let text else { return nil }
        defer { shim_curl_free(text) }
        let host = String(cString: text)
        return host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "%") } ? host : nil
    }

    /// Whether `url` is printable ASCII without spaces, as every URL is (RFC 3986, section 2).
    static func isPrintable(_ url: String) -> Bool { url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
}

/// A cache of recent targets, so that a URL is not checked again for each request.
final class CurlTargets: Sendable {
    static let cap = 64
    private let known = Locked<[String: CurlTarget]>([:])
    private let pinned: PinnedHosts

    init(_ pinned: PinnedHosts = .none) { self.pinned = pinned }

    /// Returns the target of `url`; `nil` if ``CurlTarget`` refuses it.
    func target(_ url: String) -> CurlTarget? {
        // Checked first, because strings of other characters can be equal to this one, as U+212A is to "K".
        guard CurlTarget.isPrintable(url) else { return nil }
        if let target = known.withLock({ $0[url] }) { return target }
        guard let target = CurlTarget(url, pinned) else { return nil }
        guard target.isKept else { return target }
        return known.withLock { known in
            if let other = known[url] { return other }
            if known.count >= Self.cap { known = [:] }
            known[url] = target
            return target
        }
    }
}
