import Latchkey
import LatchkeySystem
import LatchkeyOAuthCore

/// A service in memory that rotates refresh tokens, takes each once, and forgets the one before.
final class RotatingService: HTTPTransport {
    static let origin = "https://id.example"

    private struct State {
        var codes = 0
        /// The token of each login that would be taken.
        var current: [String: Int] = [:]
        var refused = 0
    }

    private let state = Locked(State())

    /// How often a token came that was not the newest.
    var refused: Int { state.withLock { $0.refused } }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let form = FormEncoding.decode(String(decoding: request.body ?? [], as: UTF8.self))
        guard let token = form?["refresh_token"] else {
            guard WebAddress(request.url)?.path == "/token" else { return TransportResponse(status: 200) }
            return answer(
                state.withLock { state in
                    state.codes += 1
                    state.current["\(state.codes)"] = 0
                    // Logins that nobody has any more.
                    if state.current.count > 64 {
                        state.current = state.current.filter { Int($0.key) ?? 0 > state.codes - 32 }
                    }
                    return "\(state.codes)-0"
                })
        }
        let parts = token.split(separator: "-").map(String.init)
        let next: String? = state.withLock { state in
            guard parts.count == 2, state.current[parts[0]].map(String.init) == parts[1] else {
                state.refused += 1
                return nil
            }
            state.current[parts[0], default: 0] += 1
            return "\(parts[0])-\(state.current[parts[0]] ?? 0)"
        }
        guard let next else { return TransportResponse(status: 400, body: Array(#"{"error":"invalid_grant"}"#.utf8)) }
        return answer(next)
    }

    private func answer(_ token: String) -> TransportResponse {
        let body = #"{"access_token":"a-\#(token)","token_type":"Bearer","expires_in":300,"refresh_token":"\#(token)"}"#
        return TransportResponse(status: 200, fields: ["Content-Type": "application/json"], body: Array(body.utf8))
    }
}
