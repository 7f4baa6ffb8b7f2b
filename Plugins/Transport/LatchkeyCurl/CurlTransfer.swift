import Latchkey

/// What came of a request.
enum CurlEnd {
    /// ``CurlTransfer/answer`` is whole.
    case answered(status: Int)
    case failed(any Error)
}

/// One request and whoever waits for its answer.
// Sendable, proof: all but `state` and `answer` is constant; `state` is touched under the lock of ``CurlWorker`` alone;
// `answer` is the driver's until it ends the request under that lock, and then the task's that sees `.answered` there.
final class CurlTransfer: @unchecked Sendable {
    /// What came of it so far.
    struct State {
        var isStarted = false
        var end: CurlEnd?
        /// The task of the request, asleep.
        var sleeper: CheckedContinuation<Void, Never>?
    }

    let head: CurlRequestHead
    let body: [UInt8]?
    let start: MonotonicInstant
    let deadline: MonotonicInstant
    /// What it has in common with others, where they come often.
    let shape: CurlShape?
    var state = State()
    var answer = CurlAnswer.roomy()

    init(_ head: CurlRequestHead, body: [UInt8]?, start: MonotonicInstant, within deadline: Duration) {
        self.head = head
        self.body = body
        self.start = start
        self.deadline = start + deadline
        shape = CurlShape(head, body: body)
    }

    /// Answered once: later answers change nothing. Returns whom to wake.
    func finish(_ end: CurlEnd) -> CheckedContinuation<Void, Never>? {
        guard state.end == nil else { return nil }
        state.end = end
        defer { state.sleeper = nil }
        return state.sleeper
    }

    /// The answer, or why there is none. For the task of the request alone.
    func response(_ end: CurlEnd) throws -> TransportResponse {
        switch end {
        case .answered(let status): answer.response(status: status)
        case .failed(let error): throw error
        }
    }
}
