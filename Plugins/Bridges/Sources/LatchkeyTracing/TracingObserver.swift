public import Latchkey
public import Tracing

/// Makes a span of each request, refresh and sign-in, for swift-distributed-tracing.
///
/// | Span | Kind | Attributes |
/// | --- | --- | --- |
/// | the request's method, such as `GET` | `client` | `http.request.method`, `url.scheme`, `server.address`, `server.port`, `http.response.status_code` |
/// | `latchkey.refresh` | `internal` | `latchkey.provider`, `latchkey.outcome` |
/// | `latchkey.sign_in` | `internal` | `latchkey.provider`, `latchkey.method` |
///
/// What failed has the status `error` and an `error.type`: the status of the answer, `_OTHER` without one, the outcome,
/// or the name of an ``/Latchkey/AuthError/Code``. The names are OpenTelemetry's ([HTTP
/// spans](https://opentelemetry.io/docs/specs/semconv/http/http-spans/), stable, read 2026-11-25), except that there is
/// no `url.full`: an address may hold a secret in its path or query, and no observation has them.
///
/// A span is made when its work has ended, with the times at which it began and ended. It belongs to the span of the
/// task that it ended on, if there is one: for a request with a token, that is the app's own task.
public struct TracingObserver: AuthObserver {
    private let tracer: any Tracer
    private let clock: any AuthClock

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - tracer: Makes the spans, such as `InstrumentationSystem.tracer`.
    ///   - clock: Gives the time at which a span ends.
    public init(_ tracer: any Tracer, clock: any AuthClock = PluginContext.system.clock) {
        self.tracer = tracer
        self.clock = clock
    }

    /// Makes a span of the observation, if it is a request, a refresh or a sign-in.
    public func observe(_ observation: AuthObservation) {
        guard let work = ObservedWork(observation) else { return }
        let end = ObservedInstant(clock.wall())
        let span = tracer.startSpan(
            work.name, context: ServiceContext.current ?? .topLevel, ofKind: work.isRequest ? .client : .internal,
            at: end - work.took)
        var attributes = work.attributes
        if let failure = work.failure {
            attributes["error.type"] = .string(failure)
            span.setStatus(SpanStatus(code: .error))
        }
        span.attributes = SpanAttributes(attributes)
        span.end(at: end)
    }
}
