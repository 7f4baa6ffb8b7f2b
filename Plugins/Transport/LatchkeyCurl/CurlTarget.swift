import Latchkey
import LatchkeyLocked

/// Where a request goes: a URL that was checked, with what libcurl and the queues must know of it.
final class CurlTarget: Sendable {
    let url: String
    let origin: String
    let isTLS: Bool
    /// Whether the host is this machine, to which no proxy leads.
    let isLocal: Bool
    /// Whether it may be remembered: a query may hold what is secret, or good for one time.
    let isKept: Bool

    /// `nil` for what libcurl must not see: another scheme, or bytes that could make another line.
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

/// The targets of late, so that none is checked for each request anew.
final class CurlTargets: Sendable {
    static let cap = 64
    private let known = Locked<[String: CurlTarget]>([:])

    /// The target of `url`; `nil` where ``CurlTarget`` has none.
    func target(_ url: String) -> CurlTarget? {
        // Asked first: strings of other characters can be equal to this one, as U+212A is to "K".
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
