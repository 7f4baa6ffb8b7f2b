import Latchkey
import LatchkeyMetrics
import Testing

/// What observers that pass metrics on are given.
@Suite struct AuthMeasurementTests {
    private static let observations: [AuthObservation] = [
        .request(method: "BREW", origin: "https://id.example.com", status: 503, took: .seconds(1)),
        .retry(method: "GET", origin: "https://id.example.com", status: nil, wait: .seconds(9)),
        .refresh("notes", .busy, took: .seconds(2)), .refusal("billing", .superseded),
        .store(.challenge, .lock, .failed, took: .seconds(3)), .storeFailure(.challenge, .lock, .busy),
        .lockWait(.queue, .acquired, took: .seconds(4)), .signIn("notes", nil, failure: .declined, took: .seconds(5)),
        .signInRequired("notes", .banned), .reauthentication(.banned, by: .otherAccount, after: .seconds(6)),
        .firstToken(.signedIn, took: .seconds(7)), .signOut("notes", .givenUp), .gate(locked: true),
        .unlock(.fallback, .pin, failure: nil, took: .seconds(8)), .pins(host: "a.example", .expired, seen: nil),
        .idTokenPassedOver("notes", .signature), .integrity(.preloaded),
        .heldOff("notes", wait: .seconds(2)),
        .furtherProof(.link, "notes", .browser, failure: nil, took: .seconds(5)),
    ]

    @Test("a measurement has the names, the labels and the duration that the text of MetricsObserver has")
    func same() throws {
        for observation in Self.observations {
            var meter = AuthMeasurement.Meter()
            let found = meter.measure(observation)
            let observer = MetricsObserver()
            observer.observe(observation)
            let document = try PrometheusDocument(observer.exposition())
            let labels = Dictionary(uniqueKeysWithValues: found.labels.map { ($0.name, $0.value) })
            #expect(document.value(found.counter, labels) == 1)
            #expect(document.types.values.contains("histogram") == (found.histogram != nil))
            if let histogram = found.histogram {
                #expect(document.value("\(histogram)_sum", labels) == found.took / .seconds(1))
            } else {
                #expect(found.took == .zero)
            }
        }
    }

    @Test("a meter has the bounds of MetricsObserver, each meter for itself")
    func bounded() {
        var meter = AuthMeasurement.Meter()
        var values: Set<String> = []
        for number in 0..<1_000 {
            let measurement = meter.measure(.signOut(ProviderID("p\(number)"), .done))
            values.formUnion(measurement.labels.filter { $0.name == "provider" }.map(\.value))
        }
        #expect(values.count == 65 && values.contains("other"))
        var second = AuthMeasurement.Meter()
        #expect(second.measure(.signOut("p999", .done)).labels.first?.value == "p999")
    }

    @Test("the fields of an observation have distinct names, and no observation is without a name")
    func fields() {
        for observation in Self.observations {
            #expect(Set(observation.fields.map(\.name)).count == observation.fields.count)
            #expect(!observation.name.isEmpty && !observation.fields.isEmpty)
        }
        #expect(Set(Self.observations.map(\.name)).count == Self.observations.count)
    }
}
