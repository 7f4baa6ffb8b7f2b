public import Latchkey
import LatchkeyHTTPServer

/// What to tell the person when a sign-in continues in a browser.
public struct BrowserVisit: Hashable, Sendable {
    /// The service's address, to show or to copy. It is enough to take part in the sign-in, so show it to nobody else.
    public var url: String
    /// Whether a browser was started. If not, the person opens the address, here or on another machine.
    public var didStart: Bool
    /// The address at which the browser comes back; `nil` if it is not known.
    public var redirect: String?

    /// Creates what to tell.
    public init(url: String, didStart: Bool, redirect: String? = nil) {
        self.url = url
        self.didStart = didStart
        self.redirect = redirect
    }

    /// The service's host, and its port if it is not the usual one.
    public var host: String {
        guard let address = WebAddress(url) else { return url }
        return String(address.origin.split(separator: "/", maxSplits: 1).last?.drop { $0 == "/" } ?? "")
    }

    /// Returns the lines for a terminal: what opens and where, the address for those who copy it, and that it waits.
    public func text(in language: TextLanguage = .system) -> String {
        let table = LoopbackTexts.table
        let first = didStart ? table.text("opening", in: language, ["host": host]) : table.text("open", in: language)
        return "\(first)\n  \(url)\n\(table.text("waiting", in: language))\n"
    }
}

/// Why a pasted text is not the address at which the browser arrived.
public enum PasteProblem: String, CaseIterable, Hashable, Sendable {
    /// It is no web address.
    case noAddress
    /// It is the address of the sign-in, at which the browser began.
    case beginning
    /// It is an address of another host, port or path than the redirect's.
    case elsewhere
    /// It is the redirect's address without what the service adds to it.
    case incomplete
    /// What the service adds stands behind a `#`.
    case fragment
    /// It is the answer to another sign-in, or to none.
    case otherSignIn
    /// It is too long to be a redirect.
    case tooLong

    /// Returns one sentence, without a full stop.
    ///
    /// - Parameters:
    ///   - redirect: The address of the redirect, which the pasted text should begin with.
    ///   - language: The language of the sentence.
    public func text(redirect: String, in language: TextLanguage = .system) -> String {
        LoopbackTexts.table.text("paste.\(rawValue)", in: language, ["redirect": redirect])
    }

    /// Returns what is wrong with `pasted`; `nil` if it is the redirect that follows the visit of `url`, as far as can be
    /// told.
    package init?(_ pasted: Secret, redirect: String, visited url: String) {
        self.init(
            pasted, redirect: redirect, visited: url, of: Visit(url, redirect: redirect, hasRandomPath: false))
    }

    /// Returns what is wrong with `pasted`; `nil` if it is an address of the redirect.
    init?(_ pasted: Secret, redirect: String, visited url: String, of visit: Visit) {
        guard pasted.count <= redirect.utf8.count + 1 + LoopbackListener.queryCap else {
            self = .tooLong
            return
        }
        guard let own = WebAddress(redirect), let address = WebAddress(pasted.revealText()) else {
            self = .noAddress
            return
        }
        guard address.origin == own.origin, Self.path(address) == Self.path(own) else {
            self = address.origin == WebAddress(url)?.origin ? .beginning : .elsewhere
            return
        }
        guard let query = address.query, !query.isEmpty else {
            if visit.accepts([]) { return nil }
            self = address.fragment?.isEmpty == false ? .fragment : .incomplete
            return
        }
        let parameters = FormPairs.decode(Array(query.utf8)) ?? []
        // Without a proof, the service's word counts, whatever it is.
        guard visit.proof != .none, !visit.accepts(parameters) else { return nil }
        self = visit.isCut(parameters) ? .incomplete : .otherSignIn
    }

    /// A browser shows a slash where the redirect has no path.
    private static func path(_ address: WebAddress) -> String { address.path.isEmpty ? "/" : address.path }
}
