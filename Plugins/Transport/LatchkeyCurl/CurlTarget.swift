import Latchkey
import LatchkeyLocked

/// The destination of a request: a checked URL, with what libcurl and the queues need from it.
final class CurlTarget: Sendable {
    let url: String
    let origin: String
    let isTLS: Bool
    /// Whether the host is this machine, for which no proxy is used.
    let isLocal: Bool
    /// Whether the target may be cached: a query may hold a secret or a one-time value.
    let isKept: Bool

    /// Returns `nil` for a URL that libcurl must not see: another scheme, or bytes that could start another line.
    init?(_ url: String) {
        guard Self.isPrintable(url), let address = WebAddress(url), ["https", "http"].contains(address.scheme) else {
            return nil
        }
        self.url = url
        origin = address.origin
        isTLS = address.scheme == "https"
        isLocal = address.isLoopback || address.host.hasPrefix("127.") || address.host.hasSuffix(".localhost")
        isKept = address.query == nil
    }

    /// Whether `url` is printable ASCII without spaces, as every URL is (RFC 3986, section 2).
    static func isPrintable(_ url: String) -> Bool { url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
}

/// A cache of recent targets, so that a URL is not checked again for each request.
final class CurlTargets: Sendable {
    static let cap = 64
    private let known = Locked<[String: CurlTarget]>([:])

    /// Returns the target of `url`; `nil` if ``CurlTarget`` refuses it.
    func target(_ url: String) -> CurlTarget? {
        // Checked first, because strings of other characters can be equal to this one, as U+212A is to "K".
        guard CurlTarget.isPrintable(url) else { return nil }
        if let target = known.withLock({ $0[url] }) { return target }
        guard let target = CurlTarget(url) else { return nil }
        guard target.isKept else { return target }
        return known.withLock { known in
            if let other = known[url] { return other }
            if known.count >= Self.cap { known = [:] }
            known[url] = target
            return target
        }
    }
}
