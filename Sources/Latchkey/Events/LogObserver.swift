/// Writes one line of text, or one line of JSON, for each observation.
///
/// Every line begins with the time, by the clock, in UTC with milliseconds, and the event; the fields follow in this
/// order. There is no field of free text. A field without a value is `-`, in JSON `null`.
///
/// | Event | Fields |
/// | --- | --- |
/// | `request` | `method`, `origin`, `status` (a number; none when no answer came), `seconds` |
/// | `retry` | `method`, `origin`, `status` (of the answer before; none when there was none), `wait` (seconds) |
/// | `refresh` | `provider`, `outcome` (``AuthObservation/RefreshOutcome``), `seconds` |
/// | `store` | `kind` (``StoreKey/Kind``), `operation`, `outcome`, `seconds` |
/// | `signIn` | `provider`, `method` (``SignInMethod/Kind``), `failure` (name of an ``AuthError/Code``; none: done) |
/// | `signOut` | `provider`, `outcome` (``AuthObservation/RevocationOutcome``) |
/// | `gate` | `locked` (`true`, `false`) |
/// | `dropped` | `lines`: so many are missing here, because the descriptor took no more |
///
/// As lines: `2026-05-04T03:02:01.123Z request method=GET origin=https://id.example.com status=200 seconds=0.012345`.
/// As JSON: the same names as members, `time` and `event` first, numbers and `locked` unquoted. A text that is not
/// plain (spaces, quotes, `=`, `\`, control characters, anything outside ASCII) is written as a JSON string with
/// everything outside printable ASCII escaped, cut after 256 bytes, so that nothing can forge a line or a field.
public struct LogObserver: AuthObserver {
    /// How a line looks.
    public enum Format: Sendable {
        /// Words: `time event name=value …`.
        case lines
        /// One JSON object.
        case jsonLines
    }

    private let format: Format
    private let clock: any AuthClock
    private let sink: @Sendable (String) -> Void
    private let writer: LineWriter?

    /// An observer that gives each line, without its line feed, to `sink`, on whatever task something happens.
    ///
    /// - Parameters:
    ///   - format: How a line looks.
    ///   - clock: Tells the time of the lines.
    ///   - sink: Must return quickly: the engine waits for it.
    public init(
        _ format: Format = .lines, clock: any AuthClock = PluginContext.system.clock,
        to sink: @escaping @Sendable (String) -> Void
    ) {
        self.format = format
        self.clock = clock
        self.sink = sink
        writer = nil
    }

    /// An observer that writes to an open file descriptor, standard error unless told otherwise.
    ///
    /// Each line is one `write`, made by a thread of the observer's own, so that a reader who is slow or stopped
    /// never holds the engine up. Up to `limit` lines wait; further ones are dropped, and a `dropped` line says how
    /// many. A broken pipe is a dropped line and no signal. The descriptor must stay open and is never closed here.
    /// A program that ends calls ``flush(within:)`` first.
    public init(
        _ format: Format = .lines, clock: any AuthClock = PluginContext.system.clock, descriptor: Int32 = 2,
        limit: Int = 1_024
    ) {
        self.format = format
        self.clock = clock
        let writer = LineWriter(descriptor, limit: limit) { count in
            LogLine("dropped", [("lines", .number(count))]).text(format, at: clock.wall())
        }
        self.writer = writer
        sink = { writer.write($0) }
    }

    /// Writes the observation's line.
    public func observe(_ observation: AuthObservation) { sink(LogLine(observation).text(format, at: clock.wall())) }

    /// Waits until every line so far is written or dropped.
    ///
    /// - Returns: Whether that was so in time. Always, and at once, for an observer with a sink.
    @discardableResult
    public func flush(within limit: Duration = .seconds(1)) async -> Bool { await writer?.drain(within: limit) ?? true }
}
