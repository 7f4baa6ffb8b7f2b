import Latchkey
import LatchkeyJSON

/// The object that kubectl reads from a credential plugin (client.authentication.k8s.io).
struct ClusterCredential: Sendable {
    private let version: String

    /// Reads from the environment which version kubectl wants; the newest one if it does not say.
    init(_ environment: [String: String]) {
        let known = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"]
        let asked = environment["KUBERNETES_EXEC_INFO"].flatMap { try? JSON.parse(Array($0.utf8)) }
        version = asked?.object?["apiVersion"]?.string.flatMap { known.contains($0) ? $0 : nil } ?? known[0]
    }

    /// Returns the document with `token`, which ends at `end` (RFC 3339); `nil` if the service does not say when.
    func answer(_ token: Secret, until end: String?) -> [UInt8] {
        var status: [String: JSON] = ["token": .string(token.revealText())]
        status["expirationTimestamp"] = end.map { .string($0) }
        let document: JSON = [
            "apiVersion": .string(version), "kind": "ExecCredential", "status": .object(status),
        ]
        return document.serialized()
    }
}
