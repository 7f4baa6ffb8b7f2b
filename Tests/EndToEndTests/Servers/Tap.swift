import Latchkey
import LatchkeyJSON
import LatchkeySystem

/// A transport that shows what passes through it, and changes it where asked to.
final class Tap: HTTPTransport {
    private struct State {
        var change: @Sendable (TransportRequest) -> TransportRequest = { $0 }
        var exchanges: [(TransportRequest, TransportResponse)] = []
    }

    private let inner: any HTTPTransport
    private let state = Locked(State())

    init(_ inner: any HTTPTransport) { self.inner = inner }

    /// From now on, changes what is sent.
    func change(_ change: @escaping @Sendable (TransportRequest) -> TransportRequest) {
        state.withLock { $0.change = change }
    }

    /// The statuses of the answers from addresses that end in `end`, a slash at the end left aside.
    func statuses(_ end: String) -> [Int] { exchanges(end).map(\.1.status) }

    /// The refresh tokens that were given so far, the newest last.
    var refreshTokens: [String] {
        exchanges("/token").compactMap { try? JSON.parse($0.1.body)["refresh_token"]?.string }
    }

    func exchanges(_ end: String) -> [(TransportRequest, TransportResponse)] {
        state.withLock { state in
            state.exchanges.filter { request, _ in
                let path = WebAddress(request.url)?.path ?? ""
                return (path.hasSuffix("/") ? String(path.dropLast()) : path).hasSuffix(end)
            }
        }
    }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let changed = state.withLock { $0.change }(request)
        let response = try await inner.send(changed, deadline: deadline)
        state.withLock { $0.exchanges.append((changed, response)) }
        return response
    }
}
