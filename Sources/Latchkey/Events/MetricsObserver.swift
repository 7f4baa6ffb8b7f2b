import LatchkeyLocked

/// Counts what happens, for Prometheus or any tool that reads its text format.
///
/// | Counter | Labels | Related metric |
/// | --- | --- | --- |
/// | `latchkey_requests_total` | `origin`, `method`, `status` | `latchkey_request_duration_seconds` |
/// | `latchkey_retries_total` | `origin`, `status` | |
/// | `latchkey_refreshes_total` | `provider`, `outcome` | `latchkey_refresh_duration_seconds` |
/// | `latchkey_store_operations_total` | `kind`, `operation`, `outcome` | `latchkey_store_operation_duration_seconds` |
/// | `latchkey_sign_ins_total` | `provider`, `method`, `result` | |
/// | `latchkey_sign_outs_total` | `provider`, `outcome` | |
/// | `latchkey_gate_changes_total` | `state`: `locked`, `open` | `latchkey_gate_locked`, a gauge |
/// | `latchkey_pin_failures_total` | `host`, `outcome` | |
/// | `latchkey_integrity_findings_total` | `finding` | |
///
/// A related metric has the counter's labels; those in seconds are histograms with buckets from 1
/// ms to 30 s. `status` is `2xx` and so on, or `none` without an answer. `result` is `done` or the
/// name of an ``AuthError/Code``. The other values are the names in ``AuthObservation``.
///
/// Memory is bounded: after 64 origins, 64 providers and 64 pinned hosts, further ones are counted as `other`. So
/// are methods that RFC 9110 and RFC 5789 do not name, and names of more than 256 bytes. Counters
/// never go down while the observer lives. Counting allocates only when a set of labels is seen for
/// the first time, or after an ``exposition()``.
public final class MetricsObserver: AuthObserver {
    private let table = Locked(MetricsTable())

    /// Creates an observer with all counts at zero.
    public init() {}

    /// Counts the observation.
    public func observe(_ observation: AuthObservation) { table.withLock { $0.count(observation) } }

    /// Returns everything counted so far, at one instant, in Prometheus's [text format
    /// 0.0.4](https://prometheus.io/docs/instrumenting/exposition_formats/) (read 2026-11-21).
    /// Serve it as `text/plain; version=0.0.4; charset=utf-8`.
    public func exposition() -> String {
        let table = table.withLock { $0 }
        return PrometheusText.text(table)
    }
}
