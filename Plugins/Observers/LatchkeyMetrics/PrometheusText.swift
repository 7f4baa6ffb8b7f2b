import Latchkey

/// Writes a ``MetricsTable`` in the text format of Prometheus.
enum PrometheusText {
    struct Family {
        var name: String
        var help: String
        /// The name and help text of the histogram with the same labels, if durations are known.
        var histogram: (name: String, help: String)?
    }

    static func text(_ table: MetricsTable) -> String {
        var rows = Dictionary(grouping: table.indices) { $0.key.family }.mapValues { series in
            series.map { (labels: $0.key.labelText, index: $0.value, bounds: $0.key.bounds) }
        }
        for family in rows.keys { rows[family]?.sort { $0.labels < $1.labels } }
        var text = ""
        for (number, family) in families.enumerated() {
            guard let rows = rows[number] else { continue }
            text += "# HELP \(family.name) \(family.help)\n# TYPE \(family.name) counter\n"
            for row in rows { text += "\(family.name){\(row.labels)} \(table.cells[row.index].count)\n" }
            guard let histogram = family.histogram else { continue }
            text += "# HELP \(histogram.name) \(histogram.help)\n# TYPE \(histogram.name) histogram\n"
            for row in rows { write(histogram.name, row.labels, row.bounds, table, row.index, to: &text) }
        }
        guard let isLocked = table.isLocked else { return text }
        return text + "# HELP latchkey_gate_locked Whether the gate is locked.\n# TYPE latchkey_gate_locked gauge\n"
            + "latchkey_gate_locked \(isLocked ? 1 : 0)\n"
    }

    private static func write(
        _ name: String, _ labels: String, _ bounds: MetricsTable.Bounds, _ table: MetricsTable, _ index: Int,
        to text: inout String
    ) {
        let bounds = bounds.map(\.text) + ["+Inf"]
        var sum: UInt64 = 0
        for (offset, bound) in bounds.enumerated() {
            sum += table.buckets[index * bounds.count + offset]
            text += "\(name)_bucket{\(labels),le=\"\(bound)\"} \(sum)\n"
        }
        let cell = table.cells[index]
        let fraction = String(cell.nanoseconds % 1_000_000_000)
        let zeros = String(repeating: "0", count: 9 - fraction.utf8.count)
        text += "\(name)_sum{\(labels)} \(cell.nanoseconds / 1_000_000_000).\(zeros)\(fraction)\n"
        text += "\(name)_count{\(labels)} \(cell.count)\n"
    }

    fileprivate static let families = [
        Family(
            name: "latchkey_requests_total", help: "Requests to services.",
            histogram: ("latchkey_request_duration_seconds", "How long requests to services took.")),
        Family(name: "latchkey_retries_total", help: "Requests that were sent again."),
        Family(
            name: "latchkey_refreshes_total", help: "Refreshes of sessions.",
            histogram: ("latchkey_refresh_duration_seconds", "How long refreshes of sessions took.")),
        Family(
            name: "latchkey_store_operations_total", help: "Uses of the store.",
            histogram: ("latchkey_store_operation_duration_seconds", "How long uses of the store took.")),
        Family(name: "latchkey_store_failures_total", help: "Uses of the store that failed, by reason."),
        Family(
            name: "latchkey_lock_waits_total", help: "Waits for the turn to work on a credential.",
            histogram: ("latchkey_lock_wait_duration_seconds", "How long work on a credential waited for its turn.")),
        Family(name: "latchkey_refusals_total", help: "Requests that were refused for lack of authorization."),
        Family(
            name: "latchkey_sign_ins_total", help: "Sign-ins, failed ones included.",
            histogram: ("latchkey_sign_in_duration_seconds", "How long sign-ins took, the person's time included.")),
        Family(name: "latchkey_sign_ins_required_total", help: "How often a person had to sign in again, by reason."),
        Family(
            name: "latchkey_reauthentications_total", help: "Sign-ins where one had been required.",
            histogram: ("latchkey_reauthentication_duration_seconds", "How long a required sign-in was waited for.")),
        Family(
            name: "latchkey_first_tokens_total", help: "First tokens of clients.",
            histogram: (
                "latchkey_first_token_duration_seconds", "From the building of a client to the first token handed out."
            )),
        Family(name: "latchkey_sign_outs_total", help: "Sign-outs, by what became of the revocation."),
        Family(name: "latchkey_gate_changes_total", help: "How often the gate was locked or opened."),
        Family(
            name: "latchkey_unlocks_total", help: "Prompts for the unlock.",
            histogram: ("latchkey_unlock_duration_seconds", "How long prompts for the unlock took.")),
        Family(name: "latchkey_pin_failures_total", help: "Connections that were not as the pins of their host say."),
        Family(
            name: "latchkey_id_tokens_passed_over_total", help: "ID tokens of refreshes that were not used, by reason."),
        Family(name: "latchkey_integrity_findings_total", help: "Signs that another program interferes."),
        Family(
            name: "latchkey_held_off_total", help: "Requests that waited for an earlier one that may be under way.",
            histogram: ("latchkey_held_off_duration_seconds", "How long they were to wait.")),
        Family(
            name: "latchkey_started_over_total",
            help: "How often every session was ended because nobody could unlock."),
        Family(
            name: "latchkey_further_proofs_total",
            help: "Ways to sign in and factors that were added, and stronger proofs.",
            histogram: (
                "latchkey_further_proof_duration_seconds", "How long further proofs took, the person's time included."
            )),
    ]
}

extension MetricsTable.Series {
    /// The position in the list of families.
    fileprivate var family: Int {
        switch self {
        case .request: 0
        case .retry: 1
        case .refresh: 2
        case .store: 3
        case .storeFailure: 4
        case .lockWait: 5
        case .refusal: 6
        case .signIn: 7
        case .signInRequired: 8
        case .reauthentication: 9
        case .firstToken: 10
        case .signOut: 11
        case .gate: 12
        case .unlock: 13
        case .pins: 14
        case .idToken: 15
        case .integrity: 16
        case .heldOff: 17
        case .startedOver: 18
        case .furtherProof: 19
        }
    }

    /// Its name, and that of its histogram.
    var metric: PrometheusText.Family { PrometheusText.families[family] }

    fileprivate var labelText: String {
        labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
    }

    var labels: [(name: String, value: String)] {
        switch self {
        case .request(let origin, let method, let status):
            [("origin", origin), ("method", method.rawValue), ("status", status.rawValue)]
        case .retry(let origin, let status): [("origin", origin), ("status", status.rawValue)]
        case .refresh(let provider, let outcome):
            [("provider", provider), ("outcome", outcome.rawValue)]
        case .store(let kind, let operation, let outcome):
            [
                ("kind", kind.rawValue), ("operation", operation.rawValue), ("outcome", outcome.rawValue),
            ]
        case .storeFailure(let kind, let operation, let code):
            [("kind", kind.rawValue), ("operation", operation.rawValue), ("reason", code.name)]
        case .lockWait(let lock, let outcome): [("lock", lock.rawValue), ("outcome", outcome.rawValue)]
        case .refusal(let origin, let cause): [("origin_class", origin), ("cause", cause.rawValue)]
        case .signInRequired(let provider, let reason):
            [("provider", provider), ("reason", reason.rawValue)]
        case .reauthentication(let reason, let who): [("reason", reason.rawValue), ("by", who.rawValue)]
        case .firstToken(let source): [("source", source.rawValue)]
        case .unlock(let choice, let kind, let failure):
            [
                ("choice", choice.rawValue), ("kind", kind?.rawValue ?? "unknown"), ("result", failure?.name ?? "done"),
            ]
        case .signIn(let provider, let method, let failure):
            [
                ("provider", provider), ("method", method?.rawValue ?? "unknown"), ("result", failure?.name ?? "done"),
            ]
        case .furtherProof(let what, let provider, let method, let failure):
            [
                ("what", what.rawValue), ("provider", provider), ("method", method?.rawValue ?? "unknown"),
                ("result", failure?.name ?? "done"),
            ]
        case .signOut(let provider, let outcome):
            [("provider", provider), ("outcome", outcome.rawValue)]
        case .gate(let locked): [("state", locked ? "locked" : "open")]
        case .pins(let host, let outcome): [("host", host), ("outcome", outcome.rawValue)]
        case .idToken(let provider, let fault): [("provider", provider), ("fault", fault.rawValue)]
        case .integrity(let kind): [("finding", kind.rawValue)]
        case .heldOff(let provider): [("provider", provider)]
        case .startedOver: []
        }
    }

    /// The format escapes these three characters and no others.
    private static func escaped(_ value: String) -> String {
        var result = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
