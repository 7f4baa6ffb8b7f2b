@_exported public import Instrumentation
@_exported public import ServiceContextModule

/// A point in time of a trace.
public protocol TracerInstant: Comparable, Hashable, Sendable {
    /// Nanoseconds since 1970.
    var nanosecondsSinceEpoch: UInt64 { get }
}

/// The part of swift-distributed-tracing's `LegacyTracer` that a tracer inherits.
public protocol LegacyTracer: Instrument {
    /// Starts a span of any type.
    func startAnySpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> any Tracing.Span

    /// Sends what has ended.
    func forceFlush()
}

/// The part of swift-distributed-tracing's `Tracer` that the bridge uses.
public protocol Tracer: LegacyTracer {
    /// What the tracer makes.
    associatedtype Span: Tracing.Span

    /// Starts a span at a given time.
    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> Self.Span
}

extension Tracer {
    /// Starts a span; of the places in the source, the real one takes the caller's too.
    public func startSpan(
        _ operationName: String, context: @autoclosure () -> ServiceContext = .current ?? .topLevel,
        ofKind kind: SpanKind = .internal, at instant: @autoclosure () -> some TracerInstant,
        function: String = #function, file fileID: String = #fileID, line: UInt = #line
    ) -> Self.Span {
        startSpan(
            operationName, context: context(), ofKind: kind, at: instant(), function: function, file: fileID,
            line: line)
    }
}

extension Tracer {
    /// Starts a span, and forgets its type.
    public func startAnySpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> any Tracing.Span {
        startSpan(
            operationName, context: context(), ofKind: kind, at: instant(), function: function, file: fileID,
            line: line)
    }
}

/// What a span stands for.
public enum SpanKind: Sendable {
    /// A request that is answered here.
    case server
    /// A request to another service.
    case client
    /// A message that was sent.
    case producer
    /// A message that was received.
    case consumer
    /// Something else of this process.
    case `internal`
}
