public import Latchkey
import LatchkeySystem

/// A transport that answers from a script and records the requests.
///
/// An unexpected request gets ``/Latchkey/TransportError`` `unreachable` (not sent), and
/// ``verifyFinished()`` reports it.
public final class ScriptedTransport: HTTPTransport {
    /// The outcome of a request.
    public enum Outcome: Sendable {
        /// Returns this answer.
        case answer(TransportResponse)
        /// Throws this error.
        case failure(any Error)
        /// Returns what the closure returns for the request.
        case made(@Sendable (TransportRequest) async throws -> TransportResponse)
    }

    fileprivate struct Expectation {
        var method: String
        var url: String
        var outcome: Outcome
        var latch: Latch?
    }

    private struct State {
        var expected: [Expectation] = []
        var standing: [Expectation] = []
        var requests: [TransportRequest] = []
        var unexpected: [String] = []
    }

    private static let requestsKept = 10_000
    private let state = Locked(State())
    private let tally = Tally()

    /// Creates a transport that expects nothing yet.
    public init() {}

    /// Expects one request, after any requests expected earlier at the same address.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - url: The whole address, or the address without its query.
    ///   - outcome: What the request gets.
    ///   - latch: Holds the answer back until it is opened.
    public func expect(_ method: String, _ url: String, _ outcome: Outcome, heldBy latch: Latch? = nil) {
        state.withLock { $0.expected.append(Expectation(method: method, url: url, outcome: outcome, latch: latch)) }
    }

    /// Answers every request to an address that has no other expectation. No request is required.
    public func always(_ method: String, _ url: String, _ outcome: Outcome) {
        state.withLock { $0.standing.append(Expectation(method: method, url: url, outcome: outcome)) }
    }

    /// The requests, in order, including their bodies.
    public var requests: [TransportRequest] { state.withLock { $0.requests } }

    /// Returns when at least `count` requests have arrived.
    public func waitForRequests(_ count: Int) async throws { try await tally.wait(for: count) }

    /// Throws ``ContractViolation`` if an unexpected request arrived, or an expected one did not.
    public func verifyFinished() throws {
        let (unexpected, missing) = state.withLock { state in
            (state.unexpected, state.expected.map { "\($0.method) \(Self.shown($0.url))" })
        }
        if let first = unexpected.first {
            throw ContractViolation(
                contract: "ScriptedTransport", clause: "only what is expected is sent", detail: "\(first) was sent")
        }
        if let first = missing.first {
            throw ContractViolation(
                contract: "ScriptedTransport", clause: "everything expected is sent", detail: "\(first) was not sent")
        }
    }

    /// Answers from the script.
    public func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let expectation = state.withLock { state -> Expectation? in
            if state.requests.count == Self.requestsKept { state.requests.removeFirst() }
            state.requests.append(request)
            if let index = state.expected.firstIndex(where: { $0.matches(request) }) {
                return state.expected.remove(at: index)
            }
            if let standing = state.standing.first(where: { $0.matches(request) }) { return standing }
            state.unexpected.append("\(request.method) \(Self.shown(request.url))")
            return nil
        }
        tally.add()
        guard let expectation else { throw TransportError(.unreachable, wasSent: false) }
        try await expectation.latch?.wait()
        try Task.checkCancellation()
        switch expectation.outcome {
        case .answer(let response): return response
        case .failure(let error): throw error
        case .made(let make): return try await make(request)
        }
    }

    private static func shown(_ url: String) -> String { String(url.prefix { $0 != "?" && $0 != "#" }) }
}

extension ScriptedTransport.Expectation {
    fileprivate func matches(_ request: TransportRequest) -> Bool {
        guard method == request.method else { return false }
        return url == request.url || url == request.url.prefix { $0 != "?" }
    }
}
