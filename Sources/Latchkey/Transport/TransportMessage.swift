/// Header fields in their order; names compare without regard to case (RFC 9110, section 5.1).
public struct HeaderFields: Sendable, ExpressibleByDictionaryLiteral {
    /// Name and value of each line.
    public private(set) var lines: [(name: String, value: String)] = []

    /// No fields.
    public init() {}

    /// The given lines.
    public init(_ lines: [(name: String, value: String)]) { self.lines = lines }

    /// The given fields.
    public init(dictionaryLiteral elements: (String, String)...) {
        lines = elements.map { (name: $0.0, value: $0.1) }
    }

    /// The first value under `name`; setting replaces all of them.
    public subscript(name: String) -> String? {
        get { lines.first { Self.isSame($0.name, name) }?.value }
        set {
            lines.removeAll { Self.isSame($0.name, name) }
            if let newValue { lines.append((name, newValue)) }
        }
    }

    /// Every value under `name`, in order.
    public func all(_ name: String) -> [String] {
        lines.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    // By bytes: Swift's `==` takes the Kelvin sign for a K, and minutes for a name of many combining marks.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
        return one.utf8.elementsEqual(other.utf8) { lowercased($0) == lowercased($1) }
    }

    /// Adds a line.
    public mutating func add(_ name: String, _ value: String) { lines.append((name, value)) }
}

extension HeaderFields: CustomStringConvertible, CustomReflectable {
    /// The number of lines: values may be secret.
    public var description: String { "\(lines.count) fields" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// One request. Prints method and origin only.
public struct TransportRequest: Sendable {
    /// `GET`, `POST` …
    public var method: String
    /// The whole address.
    public var url: String
    /// The header fields.
    public var fields: HeaderFields
    /// The content.
    public var body: [UInt8]?
    /// Whether it may be sent again where the first time had no effect. `false`: a content that is good for one time.
    public var mayBeRepeated = true
    /// How often it may be written, and on which connection. By default the method decides.
    public var writing = Writing.byMethod

    /// A request of its parts.
    public init(_ method: String, _ url: String, fields: HeaderFields = [:], body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }
}

/// One answer. Prints its status only.
public struct TransportResponse: Sendable {
    /// The status code.
    public var status: Int
    /// The header fields.
    public var fields: HeaderFields
    /// The content.
    public var body: [UInt8]

    /// An answer of its parts.
    public init(status: Int, fields: HeaderFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

extension TransportRequest: CustomStringConvertible, CustomReflectable {
    /// Method and origin.
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
