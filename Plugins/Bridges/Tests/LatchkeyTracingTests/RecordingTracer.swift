import Synchronization
import Tracing

/// A tracer that keeps its spans.
final class RecordingTracer: Tracer {
    private let kept = Mutex<[Made]>([])

    /// The spans that have ended.
    var spans: [Made.State] { kept.withLock { $0 }.map(\.state).filter { $0.end != nil } }

    /// How many were started.
    var count: Int { kept.withLock { $0.count } }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> Made {
        let span = Made(
            Made.State(name: operationName, kind: kind, start: instant().nanosecondsSinceEpoch), context())
        kept.withLock { $0.append(span) }
        return span
    }

    func forceFlush() {}

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {}

    /// A span.
    final class Made: Tracing.Span {
        struct State: Sendable {
            var name: String
            var kind: SpanKind
            var start: UInt64
            var end: UInt64?
            var status: SpanStatus?
            var values: [String: SpanAttribute] = [:]
        }

        let context: ServiceContext
        private let made: Mutex<State>

        init(_ state: State, _ context: ServiceContext) {
            self.context = context
            made = Mutex(state)
        }

        var state: State { made.withLock { $0 } }

        var operationName: String {
            get { state.name }
            set { made.withLock { $0.name = newValue } }
        }

        var attributes: SpanAttributes {
            get { SpanAttributes(state.values) }
            set {
                var values: [String: SpanAttribute] = [:]
                newValue.forEach { values[$0] = $1 }
                made.withLock { [values] in $0.values = values }
            }
        }

        var isRecording: Bool { state.end == nil }

        func setStatus(_ status: SpanStatus) { made.withLock { $0.status = status } }
        func addEvent(_ event: SpanEvent) {}
        func recordError<Instant: TracerInstant>(
            _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
        ) {}
        func addLink(_ link: SpanLink) {}
        func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
            let end = instant().nanosecondsSinceEpoch
            made.withLock { $0.end = end }
        }
    }
}
