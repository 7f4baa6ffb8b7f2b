public import ServiceContextModule

/// The part of swift-distributed-tracing's `Span` that the bridge uses, and what a tracer's span has to implement.
public protocol Span: Sendable {
    /// The context that the span began in.
    var context: ServiceContext { get }
    /// What was done.
    var operationName: String { get nonmutating set }
    /// Says how it ended.
    func setStatus(_ status: SpanStatus)
    /// Notes something that happened meanwhile.
    func addEvent(_ event: SpanEvent)
    /// Notes an error.
    func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant)
    /// Names a span that belongs to this one.
    func addLink(_ link: SpanLink)
    /// The span's attributes.
    var attributes: SpanAttributes { get nonmutating set }
    /// Whether what is said of the span is kept.
    var isRecording: Bool { get }
    /// Ends the span at a given time.
    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant)
}

/// How a span ended.
public struct SpanStatus: Equatable, Sendable {
    /// Good or not.
    public let code: Code
    /// In words.
    public let message: String?

    /// Creates a status.
    public init(code: Code, message: String? = nil) {
        self.code = code
        self.message = message
    }

    /// Good or not.
    public enum Code: Sendable {
        /// Good.
        case ok
        /// Not.
        case error
    }
}

/// The value of an attribute.
public enum SpanAttribute: Equatable, Sendable, ExpressibleByStringLiteral {
    /// A whole number.
    case int64(Int64)
    /// A number.
    case double(Double)
    /// Yes or no.
    case bool(Bool)
    /// A text.
    case string(String)

    /// Wraps a text.
    public init(stringLiteral value: String) { self = .string(value) }
}

/// The attributes of a span, by name.
public struct SpanAttributes: Equatable, Sendable {
    private let values: [String: SpanAttribute]

    /// Wraps the attributes.
    public init(_ attributes: [String: SpanAttribute]) { values = attributes }

    /// Passes each attribute to `callback`.
    public func forEach(_ callback: (String, SpanAttribute) -> Void) {
        for pair in values { callback(pair.key, pair.value) }
    }
}

/// Something that happened during a span.
public struct SpanEvent: Equatable, Sendable {
    /// What it was.
    public let name: String
}

/// A span that belongs to another one.
public struct SpanLink: Sendable {
    /// The other one's context.
    public let context: ServiceContext
}
