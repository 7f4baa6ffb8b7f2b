import Latchkey
import LatchkeyMetrics
import LatchkeyTesting
import Proofs
import Testing

@Suite struct MetricsObserverTests {
    private func document(_ observations: [AuthObservation]) throws -> PrometheusDocument {
        let observer = MetricsObserver()
        for observation in observations { observer.observe(observation) }
        return try PrometheusDocument(observer.exposition())
    }

    /// Not arguments of a test: the runner prints those as they are.
    private static let broken = [
        "a 1", "# HELP a_total A.\n# TYPE a_total counter\na_total 1", "# TYPE a_total counter\na_total 1\n",
        "# HELP a A.\n# TYPE a counter\na 1\n", "# HELP a_total A.\n# TYPE a_total counter\nb_total 1\n",
        "# HELP a_total A.\n# TYPE a_total counter\na_total{x=\"1\n\"} 1\n",
        "# HELP a_total A.\n# TYPE a_total counter\na_total{x=\"\\q\"} 1\n",
        "# HELP a_total A.\n# TYPE a_total counter\na_total{x=\"1\",x=\"2\"} 1\n",
        "# HELP a_total A.\n# TYPE a_total counter\na_total 1\na_total 2\n",
        "# HELP a_total A.\n# TYPE a_total counter\na_total -1\n",
        "# HELP h H.\n# TYPE h histogram\nh_bucket{le=\"1\"} 1\nh_sum 1\nh_count 1\n",
        "# HELP h H.\n# TYPE h histogram\nh_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 1\n",
        "# HELP h H.\n# TYPE h histogram\nh_bucket{le=\"+Inf\"} 1\nh_count 1\n",
    ]

    @Test("the reader that the other tests use refuses what is no metrics text")
    func reader() {
        for text in Self.broken {
            #expect(throws: PrometheusDocument.Broken.self, "\(text.debugDescription)") { try PrometheusDocument(text) }
        }
    }

    @Test("nothing has happened: the text is empty")
    func empty() { #expect(MetricsObserver().exposition().isEmpty) }

    @Test("requests are counted by origin, method and status class, and measured", .need("D6"))
    func requests() throws {
        let origin = "https://id.example.com"
        let found = try document([
            .request(method: "GET", origin: origin, status: 200, took: .milliseconds(3)),
            .request(method: "GET", origin: origin, status: 204, took: .milliseconds(5)),
            .request(method: "GET", origin: origin, status: 299, took: .seconds(60)),
            .request(method: "POST", origin: origin, status: 503, took: .seconds(1)),
            .request(method: "BREW", origin: origin, status: nil, took: .seconds(-5)),
            .request(method: "GET", origin: origin, status: 999, took: .zero),
            .retry(method: "GET", origin: origin, status: 503, wait: .seconds(1)),
        ])
        let got = ["origin": origin, "method": "GET", "status": "2xx"]
        #expect(found.value("latchkey_requests_total", got) == 3)
        let name = "latchkey_request_duration_seconds"
        func bucket(_ bound: String) -> Double? { found.value("\(name)_bucket", got.merging(["le": bound]) { $1 }) }
        #expect(bucket("0.001") == 0)
        #expect(bucket("0.005") == 2, "a bound belongs to its bucket")
        #expect(bucket("30") == 2)
        #expect(bucket("+Inf") == 3)
        #expect(found.value("\(name)_sum", got) == 60.008)
        #expect(found.value("\(name)_count", got) == 3)
        #expect(
            found.value("latchkey_requests_total", ["origin": origin, "method": "POST", "status": "5xx"]) == 1)
        #expect(
            found.value("latchkey_requests_total", ["origin": origin, "method": "other", "status": "none"]) == 1)
        #expect(found.value("\(name)_sum", ["origin": origin, "method": "other", "status": "none"]) == 0)
        #expect(
            found.value("latchkey_requests_total", ["origin": origin, "method": "GET", "status": "other"]) == 1)
        #expect(found.value("latchkey_retries_total", ["origin": origin, "status": "5xx"]) == 1)
    }

    @Test(
        "refreshes, uses of the store, sign-ins, sign-outs, the gate and keys that are not pinned are counted",
        .need("N23", "D6"))
    func others() throws {
        let found = try document([
            .refresh("notes", .refreshed, took: .milliseconds(200)), .refresh("notes", .refused, took: .zero),
            .store(.credential, .replace, .conflict, took: .microseconds(100)),
            .signIn("notes", .device, failure: nil, took: .zero),
            .signIn("notes", nil, failure: .refused(.wrongInput), took: .zero), .signOut("notes", .queued),
            .gate(locked: false),
            .gate(locked: true), .pins(host: "a.example", .refused, seen: nil),
            .idTokenPassedOver("notes", .signature), .integrity(.preloaded), .heldOff("notes", wait: .seconds(2)),
        ])
        #expect(found.value("latchkey_refreshes_total", ["provider": "notes", "outcome": "refreshed"]) == 1)
        #expect(
            found.value("latchkey_refresh_duration_seconds_sum", ["provider": "notes", "outcome": "refreshed"]) == 0.2)
        #expect(
            found.value(
                "latchkey_store_operations_total",
                ["kind": "credential", "operation": "replace", "outcome": "conflict"]) == 1)
        #expect(
            found.value("latchkey_sign_ins_total", ["provider": "notes", "method": "device", "result": "done"]) == 1)
        #expect(
            found.value(
                "latchkey_sign_ins_total",
                ["provider": "notes", "method": "unknown", "result": "refused.wrongInput"]) == 1)
        #expect(found.value("latchkey_sign_outs_total", ["provider": "notes", "outcome": "queued"]) == 1)
        #expect(found.value("latchkey_gate_changes_total", ["state": "open"]) == 1)
        #expect(found.value("latchkey_gate_locked") == 1)
        #expect(found.value("latchkey_integrity_findings_total", ["finding": "preloaded"]) == 1)
        #expect(found.value("latchkey_held_off_duration_seconds_sum", ["provider": "notes"]) == 2)
        let passedOver = ["provider": "notes", "fault": "signature"]
        #expect(found.value("latchkey_id_tokens_passed_over_total", passedOver) == 1)
        #expect(found.value("latchkey_pin_failures_total", ["host": "a.example", "outcome": "refused"]) == 1)
    }

    @Test("the events of the app's life are counted by what they are labelled with, and measured")
    func life() throws {
        let found = try document([
            .refusal("notes", .expired), .refusal(.service, .credential), .refusal(.service, .credential),
            .storeFailure(.credential, .replace, .store(.full)), .lockWait(.store, .busy, took: .seconds(20)),
            .lockWait(.queue, .acquired, took: .zero), .signInRequired("notes", .refused),
            .reauthentication(.refused, by: .sameAccount, after: .seconds(3_601)),
            .reauthentication(.refused, by: .otherAccount, after: .seconds(86_400 * 30)),
            .firstToken(.stored, took: .milliseconds(7)), .unlock(.usual, .biometrics, failure: nil, took: .seconds(2)),
            .unlock(.usual, nil, failure: .declined, took: .seconds(1)),
            .signIn("notes", .password, failure: nil, took: .seconds(5)),
            .signIn("notes", .password, failure: nil, took: .milliseconds(5_001)),
            .furtherProof(.link, "notes", .browser, failure: nil, took: .seconds(5)),
            .furtherProof(.stepUp, "notes", nil, failure: .declined, took: .seconds(2)),
        ])
        func count(_ name: String, _ labels: [String: String]) -> Double? { found.value("latchkey_\(name)", labels) }
        #expect(count("refusals_total", ["origin_class": "notes", "cause": "expired"]) == 1)
        #expect(count("refusals_total", ["origin_class": "service", "cause": "credential"]) == 2)
        #expect(
            count(
                "store_failures_total", ["kind": "credential", "operation": "replace", "reason": "store.full"]) == 1)
        #expect(count("lock_wait_duration_seconds_sum", ["lock": "store", "outcome": "busy"]) == 20)
        #expect(count("lock_waits_total", ["lock": "queue", "outcome": "acquired"]) == 1)
        #expect(count("sign_ins_required_total", ["provider": "notes", "reason": "refused"]) == 1)
        let back = ["reason": "refused", "by": "sameAccount"]
        #expect(count("reauthentications_total", back) == 1)
        let bucket = "reauthentication_duration_seconds_bucket"
        #expect(count(bucket, back.merging(["le": "3600"]) { $1 }) == 0)
        #expect(count(bucket, back.merging(["le": "86400"]) { $1 }) == 1)
        #expect(count(bucket, ["reason": "refused", "by": "otherAccount", "le": "604800"]) == 0)
        let link = ["what": "link", "provider": "notes", "method": "browser", "result": "done"]
        #expect(count("further_proofs_total", link) == 1)
        #expect(count("further_proof_duration_seconds_bucket", link.merging(["le": "5"]) { $1 }) == 1)
        let declined = ["what": "stepUp", "provider": "notes", "method": "unknown", "result": "declined"]
        #expect(count("further_proofs_total", declined) == 1)
        #expect(count("first_tokens_total", ["source": "stored"]) == 1)
        #expect(count("first_token_duration_seconds_bucket", ["source": "stored", "le": "0.01"]) == 1)
        #expect(count("unlocks_total", ["choice": "usual", "kind": "biometrics", "result": "done"]) == 1)
        #expect(count("unlocks_total", ["choice": "usual", "kind": "unknown", "result": "declined"]) == 1)
        let signIn = ["provider": "notes", "method": "password", "result": "done"]
        #expect(count("sign_in_duration_seconds_bucket", signIn.merging(["le": "5"]) { $1 }) == 1, "five at most")
        #expect(count("sign_in_duration_seconds_count", signIn) == 2)
    }

    private static let classes: [AuthObservation.OriginClass] = [
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t",
    ]

    @Test("after 16 origin classes, further ones are counted together; no closed set has more labels than cases")
    func boundedClasses() throws {
        let causes = AuthObservation.RefusalCause.allCases
        let found = try document(Self.classes.flatMap { name in causes.map { .refusal(name, $0) } })
        #expect(found.samples.count == 17 * causes.count)
        #expect(found.samples.filter { $0.labels["origin_class"] == "other" }.map(\.value) == causes.map { _ in 4 })
        let reasons = AuthError.SignInRequiredReason.allCases
        let many = try document(
            (0..<1_000).flatMap { number in reasons.map { .signInRequired(ProviderID("p\(number)"), $0) } })
        #expect(many.samples.count == 65 * reasons.count)
    }

    @Test("a foreign text stays inside its label")
    func escaping() throws {
        for text in ["a\"} 1\nevil_total 7\n", "\\", "\\n", "\"", "\n", "\r", "é\u{1F511}\u{202E}", ""] {
            let found = try document([
                .request(method: text, origin: text, status: 200, took: .zero),
                .refresh(ProviderID(text), .busy, took: .zero), .signInRequired(ProviderID(text), .refused),
            ])
            #expect(
                found.value("latchkey_sign_ins_required_total", ["provider": text, "reason": "refused"]) == 1)
            #expect(found.value("latchkey_requests_total", ["origin": text, "method": "other", "status": "2xx"]) == 1)
            #expect(found.value("latchkey_refreshes_total", ["provider": text, "outcome": "busy"]) == 1)
        }
    }

    @Test("after 64 origins and 64 providers, and for endless names, further ones are counted together")
    func bounded() throws {
        let found = try document(
            (0..<1_000).flatMap { number -> [AuthObservation] in
                [
                    .request(method: "GET", origin: "https://\(number).example.com", status: 200, took: .zero),
                    .signOut(ProviderID("p\(number)"), .done),
                ]
            })
        let requests = found.samples.filter { $0.name == "latchkey_requests_total" }
        #expect(requests.count == 65)
        #expect(requests.first { $0.labels["origin"] == "other" }?.value == 936)
        #expect(found.samples.count { $0.name == "latchkey_sign_outs_total" } == 65)
        let long = try document([
            .request(method: "GET", origin: String(repeating: "x", count: 257), status: 200, took: .zero)
        ])
        #expect(long.samples.first?.labels["origin"] == "other")
    }

    @Test("a text taken while others count is consistent in itself, and nothing is lost")
    func consistent() async throws {
        let observer = MetricsObserver()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for number in 0..<2_000 {
                        observer.observe(.refresh(ProviderID("p\(task % 2)"), .refreshed, took: .milliseconds(number)))
                    }
                }
            }
            for _ in 0..<50 { _ = try PrometheusDocument(observer.exposition()) }
            try await group.waitForAll()
        }
        let found = try PrometheusDocument(observer.exposition())
        #expect(found.value("latchkey_refreshes_total", ["provider": "p0", "outcome": "refreshed"]) == 4_000)
        #expect(
            found.value("latchkey_refresh_duration_seconds_sum", ["provider": "p1", "outcome": "refreshed"]) == 3_998)
        try await ObserverContract(size: { $0.exposition().utf8.count }) { MetricsObserver() }.run()
    }
}
