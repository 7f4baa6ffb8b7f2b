import Latchkey

/// The result of a request.
enum CurlEnd {
    /// The request was answered, and ``CurlTransfer/answer`` is complete.
    case answered(status: Int)
    case failed(any Error)
}

/// One request, and the task that waits for its answer.
// Sendable, proof: all but `state` and `answer` is constant; `state` is used only under the lock of ``CurlWorker``;
// `answer` belongs to the driver until it ends the request under that lock, then to the task that sees `.answered`
// there.
final class CurlTransfer: @unchecked Sendable {
    /// The request's progress.
    struct State {
        var isStarted = false
        var end: CurlEnd?
        /// The continuation of the request's task, if it sleeps.
        var sleeper: CheckedContinuation<Void, Never>?
    }

    let head: CurlRequestHead
    let body: [UInt8]?
    let start: MonotonicInstant
    let deadline: MonotonicInstant
    /// The request's shape, if that is a common one.
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

    /// Sets the result, unless it is set already. Returns the continuation to resume.
    func finish(_ end: CurlEnd) -> CheckedContinuation<Void, Never>? {
        guard state.end == nil else { return nil }
        state.end = end
        defer { state.sleeper = nil }
        return state.sleeper
    }

    /// Returns the answer, or throws why there is none. Only for the task of the request.
    func response(_ end: CurlEnd) throws -> TransportResponse {
        switch end {
        case .answered(let status): answer.response(status: status)
        case .failed(let error): throw error
        }
    }
}
