import Latchkey
import LatchkeyLocked

/// One request and whoever waits for its answer. Answered once; later answers change nothing.
final class CurlTransfer: Sendable {
    private enum Phase {
        case created
        case waiting(CheckedContinuation<HTTPResponse, any Error>)
        case over(Result<HTTPResponse, any Error>?)
    }

    let head: CurlRequestHead
    let body: [UInt8]?
    let deadline: MonotonicInstant
    private let phase = Locked(Phase.created)

    init(_ head: CurlRequestHead, body: [UInt8]?, deadline: MonotonicInstant) {
        self.head = head
        self.body = body
        self.deadline = deadline
    }

    /// The URL, when nothing but the header fields tells this request from another `GET` of it.
    var plainURL: String? { head.method == "GET" && body == nil ? head.url : nil }

    /// Lets `continuation` wait. `false` when the answer was there already, and the continuation has it.
    func wait(_ continuation: CheckedContinuation<HTTPResponse, any Error>) -> Bool {
        let early = phase.withLock { phase -> Result<HTTPResponse, any Error>? in
            guard case .over(let result) = phase else {
                phase = .waiting(continuation)
                return nil
            }
            phase = .over(nil)
            return result
        }
        guard let early else { return true }
        continuation.resume(with: early)
        return false
    }

    func finish(_ result: Result<HTTPResponse, any Error>) {
        let waiting = phase.withLock { phase -> CheckedContinuation<HTTPResponse, any Error>? in
            switch phase {
            case .created:
                phase = .over(result)
                return nil
            case .waiting(let continuation):
                phase = .over(nil)
                return continuation
            case .over: return nil
            }
        }
        waiting?.resume(with: result)
    }

    /// Whether the answer is given, so that nothing need be done for it.
    var isOver: Bool {
        phase.withLock { if case .over = $0 { true } else { false } }
    }
}
