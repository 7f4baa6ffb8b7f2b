public import Latchkey

/// Writes one line of text or JSON for each observation.
///
/// Every line begins with the wall-clock time, in UTC with milliseconds, and the event. The fields
/// follow in this order. No field is free text. A field without a value is `-`, or `null` in JSON.
///
/// | Event | Fields |
/// | --- | --- |
/// | `request` | `method`, `origin`, `status` (a number; none when no answer came), `seconds` |
/// | `retry` | `method`, `origin`, `status` (of the previous answer; none when there was none), `wait` (seconds) |
/// | `refresh` | `provider`, `outcome` (``/Latchkey/AuthObservation/RefreshOutcome``), `seconds` |
/// | `heldOff` | `provider`, `wait` (seconds) |
/// | `store` | `kind` (``/Latchkey/StoreKey/Kind``), `operation`, `outcome`, `seconds` |
/// | `refusal` | `class` (``/Latchkey/AuthObservation/OriginClass``), `cause` (``/Latchkey/AuthObservation/RefusalCause``) |
/// | `storeFailure` | `kind`, `operation`, `reason` (an ``/Latchkey/AuthError/Code``'s name) |
/// | `lockWait` | `lock` (``/Latchkey/AuthObservation/Lock``), `outcome` (``/Latchkey/AuthObservation/LockOutcome``), `seconds` |
/// | `signIn` | `provider`, `method` (``/Latchkey/SignInMethod/Kind``), `failure` (an ``/Latchkey/AuthError/Code``'s name; none: success), `seconds` |
/// | `furtherProof` | `what` (``/Latchkey/AuthObservation/FurtherProof``), `provider`, `method`, `failure` and `seconds` as of `signIn` |
/// | `signInRequired` | `provider`, `reason` (``/Latchkey/AuthError/SignInRequiredReason``) |
/// | `reauthentication` | `reason`, `by` (``/Latchkey/AuthObservation/Returning``), `seconds` |
/// | `firstToken` | `source` (``/Latchkey/AuthObservation/TokenSource``), `seconds` |
/// | `signOut` | `provider`, `outcome` (``/Latchkey/AuthObservation/RevocationOutcome``) |
/// | `gate` | `locked` (`true`, `false`) |
/// | `unlock` | `choice` (``/Latchkey/UnlockChoice``), `kind` (``/Latchkey/AuthObservation/UnlockKind``; none when not known), `failure`, `seconds` |
/// | `startedOver` | |
/// | `pins` | `host`, `outcome` (``/Latchkey/AuthObservation/PinOutcome``), `seen` (a ``/Latchkey/PublicKeyPin``; none when not known) |
/// | `idTokenPassedOver` | `provider`, `fault` (``/Latchkey/AuthObservation/IDTokenFault``) |
/// | `integrity` | `finding` (``/Latchkey/IntegrityFinding/Kind``) |
/// | `dropped` | `lines`: how many are missing here because the descriptor accepted no more |
///
/// A line of text:
/// `2026-05-04T03:02:01.123Z request method=GET origin=https://id.example.com status=200 seconds=0.012345`.
/// JSON has the same names as members, `time` and `event` first, with numbers and `locked`
/// unquoted. Text that is not plain (spaces, quotes, `=`, `\`, control characters, anything outside
/// ASCII) is written as a JSON string with everything outside printable ASCII escaped, cut after
/// 256 bytes, so that nothing can forge a line or a field.
public struct LogObserver: AuthObserver {
    /// How a line looks.
    public enum Format: Sendable {
        /// Words: `time event name=value …`.
        case lines
        /// One JSON object per line.
        case jsonLines
    }

    private let format: Format
    private let clock: any AuthClock
    private let sink: @Sendable (String) -> Void
    private let writer: LineWriter?

    /// Creates an observer that passes each line, without its line feed, to `sink`, on the task
    /// where something happens.
    ///
    /// - Parameters:
    ///   - format: How a line looks.
    ///   - clock: Gives the time of each line.
    ///   - sink: Must return quickly, because the engine waits for it.
    public init(
        _ format: Format = .lines, clock: any AuthClock = PluginContext.system.clock,
        to sink: @escaping @Sendable (String) -> Void
    ) {
        self.format = format
        self.clock = clock
        self.sink = sink
        writer = nil
    }

    /// Creates an observer that writes to an open file descriptor; the default is standard error.
    ///
    /// The observer's own thread makes one `write` per line, so a slow or stopped reader never
    /// delays the engine. Up to `limit` lines wait; further ones are dropped, and a `dropped` line
    /// says how many. A broken pipe drops the line and raises no signal. The descriptor must stay
    /// open; the observer never closes it. Call ``flush(within:)`` before your program ends.
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

    /// Writes the observation as a line.
    public func observe(_ observation: AuthObservation) { sink(LogLine(observation).text(format, at: clock.wall())) }

    /// Waits until every line so far has been written or dropped.
    ///
    /// - Returns: Whether that happened in time. For an observer with a sink it is `true` immediately.
    @discardableResult
    public func flush(within limit: Duration = .seconds(1)) async -> Bool { await writer?.drain(within: limit) ?? true }
}
