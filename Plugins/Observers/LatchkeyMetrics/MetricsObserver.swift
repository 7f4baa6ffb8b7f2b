public import Latchkey
import LatchkeySystem

/// Counts what happens, for Prometheus or any tool that reads its text format.
///
/// | Counter | Labels | Related metric |
/// | --- | --- | --- |
/// | `latchkey_requests_total` | `origin`, `method`, `status` | `latchkey_request_duration_seconds` |
/// | `latchkey_retries_total` | `origin`, `status` | |
/// | `latchkey_refreshes_total` | `provider`, `outcome` | `latchkey_refresh_duration_seconds` |
/// | `latchkey_refusals_total` | `origin_class`, `cause` | |
/// | `latchkey_store_operations_total` | `kind`, `operation`, `outcome` | `latchkey_store_operation_duration_seconds` |
/// | `latchkey_store_failures_total` | `kind`, `operation`, `reason` | |
/// | `latchkey_lock_waits_total` | `lock`, `outcome` | `latchkey_lock_wait_duration_seconds` |
/// | `latchkey_sign_ins_total` | `provider`, `method`, `result` | `latchkey_sign_in_duration_seconds` |
/// | `latchkey_further_proofs_total` | `what`: `link`, `stepUp`; `provider`, `method`, `result` | `latchkey_further_proof_duration_seconds` |
/// | `latchkey_sign_ins_required_total` | `provider`, `reason` | |
/// | `latchkey_reauthentications_total` | `reason`, `by` | `latchkey_reauthentication_duration_seconds` |
/// | `latchkey_first_tokens_total` | `source` | `latchkey_first_token_duration_seconds` |
/// | `latchkey_sign_outs_total` | `provider`, `outcome` | |
/// | `latchkey_gate_changes_total` | `state`: `locked`, `open` | `latchkey_gate_locked`, a gauge |
/// | `latchkey_unlocks_total` | `choice`, `kind`, `result` | `latchkey_unlock_duration_seconds` |
/// | `latchkey_pin_failures_total` | `host`, `outcome` | |
/// | `latchkey_id_tokens_passed_over_total` | `provider`, `fault` | |
/// | `latchkey_integrity_findings_total` | `finding` | |
/// | `latchkey_held_off_total` | `provider` | `latchkey_held_off_duration_seconds` |
/// | `latchkey_started_over_total` | | |
///
/// A related metric has the counter's labels; those in seconds are histograms. Their buckets go from 1 ms to 30 s;
/// those of sign-ins, further proofs, re-authentications and unlocks, in which a person acts, from 100 ms to 7 days. `status` is `2xx`
/// and so on, or `none` without an answer. `result` is `done` or the name of an ``/Latchkey/AuthError/Code``, and so is `reason`
/// of the store. The other values are the names in ``/Latchkey/AuthObservation``; one that is not known is `unknown`.
///
/// Memory is bounded: after 64 origins, 64 providers, 64 pinned hosts and 16 origin classes, further ones are counted
/// as `other`. So are methods that RFC 9110 and RFC 5789 do not name, and names of more than 256 bytes. Counters
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
