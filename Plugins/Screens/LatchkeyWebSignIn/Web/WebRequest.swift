import LatchkeyOAuthCore

/// One HTTP request, as the app's own server received it.
///
/// Its body and cookies hold what people type, so it prints as its method and path only.
public struct WebRequest: Sendable, CustomStringConvertible, CustomReflectable {
    /// The most bytes of a body that ``WebSignIn/respond(to:)`` reads. Larger ones are answered with 413.
    public static let bodyLimit = 64 << 10
    /// The most bytes of a path with its query (414), and of one header field (431).
    public static let headLimit = 8 << 10

    /// The method as sent, such as `GET`.
    public var method: String
    /// Path and query as sent, percent-encoded. Begins with a slash.
    public var target: String
    /// The header fields in order, duplicates included.
    public var fields: [(name: String, value: String)]
    /// The body; empty if there is none.
    public var body: [UInt8]
    /// The IPv4 or IPv6 address that it came from; `nil` if the app does not know. Behind a proxy it is what that proxy
    /// says, and never a field that a browser can send itself. It bounds how much visitors may store: ``GuestLimits``.
    public var address: String?

    /// Creates a request.
    public init(
        _ method: String, _ target: String, fields: [(name: String, value: String)] = [], body: [UInt8] = [],
        address: String? = nil
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.address = address
    }

    /// The path as sent, without the query.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The parameters of the query; `nil` if it cannot be decoded.
    var query: FormParameters? {
        guard let start = target.firstIndex(of: "?") else { return FormParameters() }
        return FormEncoding.decode(target[target.index(after: start)...])
    }

    /// The parameters of a form's body; `nil` if it is not one.
    var form: FormParameters? {
        let type = values(of: "Content-Type").first?.prefix { $0 != ";" }
        guard type?.lowercased() == "application/x-www-form-urlencoded",
            let text = String(validating: body, as: UTF8.self)
        else { return nil }
        return FormEncoding.decode(text)
    }

    /// Returns the values of the fields called `name`, ignoring case.
    func values(of name: String) -> [String] {
        let name = name.lowercased()
        return fields.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// Returns the value of the field called `name` if there is exactly one.
    func only(_ name: String) -> String? {
        let found = values(of: name)
        return found.count == 1 ? found[0] : nil
    }

    /// Returns the value of the cookie `name`; `nil` if it is absent, or there more than once: then
    /// nobody can tell which of them this server has set.
    func cookie(_ name: String) -> String? {
        let found = values(of: "Cookie").flatMap { $0.split(separator: ";") }.compactMap { pair -> Substring? in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == name else { return nil }
            return parts[1]
        }
        return found.count == 1 ? String(found[0]) : nil
    }

    /// The method and path.
    public var description: String { "\(method) \(path)" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
