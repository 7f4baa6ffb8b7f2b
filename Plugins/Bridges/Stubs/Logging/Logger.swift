/// The part of swift-log's `Logger` that the bridge uses.
public struct Logger: Sendable {
    /// Where the logger's lines come from.
    public let label: String
    /// What takes the lines.
    public var handler: any LogHandler

    /// Creates a logger whose handler `factory` makes.
    public init(label: String, factory: (String) -> any LogHandler) {
        self.label = label
        handler = factory(label)
    }

    /// The least level that is written.
    public var logLevel: Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }

    /// Passes the line to the handler, if its level is written. Nothing else is evaluated otherwise.
    public func log(
        level: Level, _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil,
        source: @autoclosure () -> String? = nil, file: String = #fileID, function: String = #function,
        line: UInt = #line
    ) {
        guard logLevel <= level else { return }
        handler.log(
            level: level, message: message(), metadata: metadata(), source: source() ?? "", file: file,
            function: function, line: line)
    }
}

extension Logger {
    /// How important a line is.
    public enum Level: String, Codable, CaseIterable, Sendable, Comparable {
        /// From the least to the most important.
        case trace, debug, info, notice, warning, error, critical

        /// Compares by importance.
        public static func < (first: Level, second: Level) -> Bool { first.rank < second.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The text of a line.
    public struct Message: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, Equatable,
        CustomStringConvertible, Sendable
    {
        /// The text.
        public let description: String

        /// Wraps a text.
        public init(stringLiteral value: String) { description = value }
    }

    /// The fields of a line.
    public typealias Metadata = [String: MetadataValue]

    /// The value of a field.
    public enum MetadataValue: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// A text.
        case string(String)
        /// Something that has a text.
        case stringConvertible(any CustomStringConvertible & Sendable)
        /// Fields in a field.
        case dictionary(Metadata)
        /// Several values.
        case array([MetadataValue])

        /// Wraps a text.
        public init(stringLiteral value: String) { self = .string(value) }

        /// The value as a text.
        public var description: String {
            switch self {
            case .string(let text): text
            case .stringConvertible(let value): value.description
            case .dictionary(let fields): fields.mapValues(\.description).description
            case .array(let values): values.map(\.description).description
            }
        }
    }
}
