import Latchkey
import LatchkeyLog
import LatchkeyMetrics
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeyOAuth

/// The code of `Documentation/Start/Observing.md`, compiled.
enum ObservingSnippets {
    static func client(_ directory: String) throws {
        let metrics = MetricsObserver()
        let auth = try AuthClient.Builder()
            .provider(.oauth(issuer: "https://id.example.com", clientID: "notes"))
            .store(.file(unencryptedAt: directory))
            .transport(.curl())
            .observer(LogObserver(.jsonLines))
            .observer(metrics)
            .build()
        let api = try auth.authorized(.curl(), origins: ["https://billing.example.com"], originClass: "billing")

        print(metrics.exposition())  // for Prometheus
        _ = api
    }
}
