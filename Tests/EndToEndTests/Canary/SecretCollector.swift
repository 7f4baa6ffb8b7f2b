import Latchkey
import LatchkeyJSON
import LatchkeySystem

/// A transport that remembers every secret that passes through it, and can put a mark into what it brings back.
final class SecretCollector: HTTPTransport, CustomReflectable {
    /// What to do to an answer of an address that ends with the given path.
    struct Forgery: Sendable {
        var path: String
        var response: TransportResponse
    }

    private static let secretFields: Set<String> = [
        "code", "code_verifier", "refresh_token", "device_code", "token", "client_secret", "access_token", "id_token",
        "user_code",
    ]

    private let inner: any HTTPTransport
    private let state = Locked((secrets: Set<String>(), forgery: Forgery?.none))

    init(_ inner: any HTTPTransport) { self.inner = inner }

    /// Its own notes are no leak.
    var customMirror: Mirror { Mirror(self, children: []) }

    /// Everything secret that was seen.
    var secrets: Set<String> { state.withLock { $0.secrets } }

    func forge(_ forgery: Forgery?) { state.withLock { $0.forgery = forgery } }

    func add(_ secret: String) { state.withLock { _ = $0.secrets.insert(secret) } }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        collect(pairs: String(decoding: request.body ?? [], as: UTF8.self))
        if let authorization = request.fields["Authorization"]?.split(separator: " ").last {
            add(String(authorization))
        }
        if let forgery = state.withLock({ $0.forgery }), request.url.hasSuffix(forgery.path) { return forgery.response }
        let response = try await inner.send(request, deadline: deadline)
        if let document = try? JSON.parse(response.body) {
            for (name, value) in document.object ?? [:] where Self.secretFields.contains(name) {
                if let text = value.string, name != "user_code" { add(text) }
            }
        }
        if let location = response.fields["Location"], let query = location.split(separator: "?").last {
            collect(pairs: String(query))
        }
        return response
    }

    private func collect(pairs text: String) {
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, Self.secretFields.contains(String(parts[0])), parts[1].utf8.count > 8 else {
                continue
            }
            add(String(parts[1]))
            add(String(parts[1]).removingPercentEscapes)
        }
    }
}

extension String {
    fileprivate var removingPercentEscapes: String {
        var bytes: [UInt8] = []
        var rest = self[...]
        while let first = rest.first {
            if first == "%", rest.count >= 3, let byte = UInt8(rest.dropFirst().prefix(2), radix: 16) {
                bytes.append(byte)
                rest = rest.dropFirst(3)
            } else {
                bytes += Array(String(first).utf8)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
