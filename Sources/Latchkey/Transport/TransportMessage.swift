/// Header fields in order. Names compare without regard to case (RFC 9110, section 5.1).
public struct HeaderFields: Sendable, ExpressibleByDictionaryLiteral {
    /// The name and value of each line.
    public private(set) var lines: [(name: String, value: String)] = []

    /// Creates an empty list.
    public init() {}

    /// Creates a list of the given lines.
    public init(_ lines: [(name: String, value: String)]) { self.lines = lines }

    /// Creates a list of the given fields.
    public init(dictionaryLiteral elements: (String, String)...) {
        lines = elements.map { (name: $0.0, value: $0.1) }
    }

    /// The first value under `name`. Setting it replaces all of them.
    public subscript(name: String) -> String? {
        get { lines.first { Self.isSame($0.name, name) }?.value }
        set {
            lines.removeAll { Self.isSame($0.name, name) }
            if let newValue { lines.append((name, newValue)) }
        }
    }

    /// Returns every value under `name`, in order.
    public func all(_ name: String) -> [String] {
        lines.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    // Compares bytes: Swift's `==` treats the Kelvin sign as a K, and takes minutes for a name of
    // many combining marks.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
        return one.utf8.elementsEqual(other.utf8) { lowercased($0) == lowercased($1) }
    }

    /// Adds a line.
    public mutating func add(_ name: String, _ value: String) { lines.append((name, value)) }
}

extension HeaderFields: CustomStringConvertible, CustomReflectable {
    /// The number of lines, because values may be secret.
    public var description: String { "\(lines.count) fields" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// An HTTP request. Its description shows only method and origin.
public struct TransportRequest: Sendable {
    /// The method, such as `GET` or `POST`.
    public var method: String
    /// The absolute URL.
    public var url: String
    /// The header fields.
    public var fields: HeaderFields
    /// The body.
    public var body: [UInt8]?
    /// Whether the request may be sent again if the first time had no effect. `false` if its
    /// content is valid only once.
    public var mayBeRepeated = true
    /// How often the request may be written, and on which connection. By default the method decides.
    public var writing = Writing.byMethod

    /// Creates a request.
    public init(_ method: String, _ url: String, fields: HeaderFields = HeaderFields(), body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }
}

/// An HTTP answer. Its description shows only the status.
public struct TransportResponse: Sendable {
    /// The status code.
    public var status: Int
    /// The header fields.
    public var fields: HeaderFields
    /// The body.
    public var body: [UInt8]

    /// Creates an answer.
    public init(status: Int, fields: HeaderFields = HeaderFields(), body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

extension TransportRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the origin.
    public var description: String { "\(method) \(WebAddress(url)?.origin ?? "?")" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension TransportResponse: CustomStringConvertible, CustomReflectable {
    /// The status.
    public var description: String { "HTTP \(status)" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
