import Latchkey

/// The result of a request.
enum CurlEnd {
    /// The request was answered, and ``CurlTransfer/answer`` is complete.
    case answered(status: Int)
    /// The request was only for the server's key, and was not sent.
    case looked(PublicKeyPin)
    case failed(any Error)
    /// The service refused the request before it had begun with it, or nothing of it may have had an effect: it may be
    /// sent once more, over HTTP/1.1 if that is what the service wants.
    case refused(TransportError, wantsOld: Bool)
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
    /// The pins that count for this request; `nil` if there are none.
    let pins: HostPins?
    /// Whether only the server's key is wanted, so that nothing may be sent.
    let isLook: Bool
    /// Whether it is sent over HTTP/1.1, whatever the service offers.
    let isOld: Bool
    /// The request's shape, if that is a common one.
    let shape: CurlShape?
    var state = State()
    var answer = CurlAnswer.roomy()

    init(
        _ head: CurlRequestHead, body: [UInt8]?, start: MonotonicInstant, within deadline: Duration,
        pins: HostPins? = nil, isLook: Bool = false, isOld: Bool = false
    ) {
        self.head = head
        self.body = body
        self.start = start
        self.deadline = start + deadline
        self.pins = pins
        self.isLook = isLook
        self.isOld = isOld
        shape = isLook || isOld ? nil : CurlShape(head, body: body, isPinned: pins != nil)
    }

    /// Sets the result, unless it is set already. Returns the continuation to resume.
    func finish(_ end: CurlEnd) -> CheckedContinuation<Void, Never>? {
        guard state.end == nil else { return nil }
        state.end = end
        defer { state.sleeper = nil }
        return state.sleeper
    }

    /// Returns the answer, or throws why there is none. Only for the task of the request.
    ///
    /// - Parameter cap: The most bytes of the body.
    func response(_ end: CurlEnd, cap: Int) throws -> TransportResponse {
        switch end {
        case .answered(let status):
            head.isDecoded
                ? try ContentCoding.undo(answer.response(status: status), cap: cap) : answer.response(status: status)
        case .looked: throw TransportError(.invalidRequest, wasSent: false)
        case .failed(let error): throw error
        case .refused(let error, _): throw error
        }
    }
}
