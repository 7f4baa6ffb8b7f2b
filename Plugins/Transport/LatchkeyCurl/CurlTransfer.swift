import Latchkey

/// One request and whoever waits for its answer.
// Sendable, proof: all but `state` is constant, and `state` is touched under the lock of ``CurlWorker`` alone.
final class CurlTransfer: @unchecked Sendable {
    /// What came of it so far.
    struct State {
        var isStarted = false
        var result: Result<HTTPResponse, any Error>?
        /// The task of the request, asleep.
        var sleeper: CheckedContinuation<Void, Never>?
    }

    let head: CurlRequestHead
    let body: [UInt8]?
    let start: MonotonicInstant
    let deadline: MonotonicInstant
    var state = State()

    init(_ head: CurlRequestHead, body: [UInt8]?, start: MonotonicInstant, within deadline: Duration) {
        self.head = head
        self.body = body
        self.start = start
        self.deadline = start + deadline
    }

    /// The target, when nothing but the header fields tells this request from another `GET` of it.
    var plainTarget: CurlTarget? {
        head.target.isKept && head.method == "GET" && head.isRepeatable && body == nil ? head.target : nil
    }

    /// Answered once: later answers change nothing. Returns whom to wake.
    func finish(_ result: Result<HTTPResponse, any Error>) -> CheckedContinuation<Void, Never>? {
        guard state.result == nil else { return nil }
        state.result = result
        defer { state.sleeper = nil }
        return state.sleeper
    }
}
