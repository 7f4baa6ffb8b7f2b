public import Latchkey
import LatchkeySystem

/// The contract of every ``/Latchkey/HTTPTransport`` that hands its requests on to another one: to add a field, to try
/// again, to write a log.
///
/// It needs no server: below the wrapper is a transport of the contract's own. Run ``TransportContract`` over the wrapper
/// around a real transport as well.
///
/// | Clause | Checked by |
/// | --- | --- |
/// | the wrapped transport gets the request as it is, and what is added to it | method, address, every field, body or none |
/// | what fails again and again comes back at last | failures that take no time |
/// | the wrapped transport may do with a request what the caller allows, and no more | `writing` and `mayBeRepeated` |
/// | each try is the same request | a failure, and what comes after it |
/// | an answer of the wrapped transport comes back as it is | statuses, repeated fields, body |
/// | an error of the wrapped transport comes back with all that it knows | each code, cause, certificate, proxy; other errors |
/// | a request that may not be written twice reaches the wrapped transport once, whatever comes | what was sent and failed, 408 to 504 |
/// | an error denies that the request was sent only if no try was | a try that was sent, then one that was not |
/// | no try begins after the deadline, or may last beyond it | slow failures, a long `Retry-After` |
/// | cancelling reaches the wrapped transport, and nothing is sent after it | during a try, and between two |
/// | each request reaches the wrapped transport, and waits for no other | the same twice, three at once |
/// | what the wrapped transport says of its connections is passed on | ``/Latchkey/TrustNaming`` |
/// | nothing of a request or an answer is printed | errors, the wrapper, its observer, what it writes |
public struct TransportWrapperContract: Sendable {
    /// Wraps a transport. It takes its time, randomness and observer from the context.
    public typealias Wrapping = @Sendable (WrappedTransport, PluginContext) throws -> any HTTPTransport

    let wrap: Wrapping
    let written: (@Sendable () -> [String])?
    let clauses: Clauses

    /// Creates a contract over what `wrapping` makes.
    ///
    /// - Parameters:
    ///   - written: Everything that the wrappers have written so far, such as the lines of a log; `nil` if they write
    ///     nothing.
    ///   - timeLimit: How long a clause may take, in real time. A clause that takes longer is broken
    ///     and left behind.
    ///   - wrapping: Wraps a transport. It is called several times for each clause.
    public init(
        written: (@Sendable () -> [String])? = nil, timeLimit: Duration = ClauseLimit.standard,
        wrapping: @escaping Wrapping
    ) {
        wrap = wrapping
        self.written = written
        clauses = Clauses(contract: "TransportWrapperContract", limit: timeLimit)
    }

    /// Checks every clause.
    public func run() async throws {
        try await clauses.clause("the wrapped transport gets the request as it is, and what is added to it", passesOn)
        try await clauses.clause("what fails again and again comes back at last", ends)
        try await clauses.clause(
            "the wrapped transport may do with a request what the caller allows, and no more", keepsLeave)
        try await clauses.clause("each try is the same request", passesOnAgain)
        try await clauses.clause("an answer of the wrapped transport comes back as it is", answers)
        try await clauses.clause("an error of the wrapped transport comes back with all that it knows", errors)
        try await clauses.clause(
            "a request that may not be written twice reaches the wrapped transport once, whatever comes", onlyOnce)
        try await clauses.clause("an error denies that the request was sent only if no try was", wasSent)
        try await clauses.clause("no try begins after the deadline, or may last beyond it", deadlines)
        try await clauses.clause("cancelling reaches the wrapped transport, and nothing is sent after it", cancels)
        try await clauses.clause("each request reaches the wrapped transport, and waits for no other", atOnce)
        try await clauses.clause("what the wrapped transport says of its connections is passed on", trust)
        try await clauses.clause("nothing of a request or an answer is printed", printsNothing)
    }

    /// A wrapper, and what it wraps.
    struct Pair: Sendable {
        let outer: any HTTPTransport
        let inner: WrappedTransport

        @discardableResult
        func send(
            _ request: TransportRequest, deadline: Duration = .seconds(10)
        ) async throws -> TransportResponse {
            try await outer.send(request, deadline: deadline)
        }
    }

    func pair(
        clock: any AuthClock = EagerClock(), observer: any AuthObserver = SilentObserver(), trust: String = "one",
        _ act: @escaping WrappedTransport.Act
    ) throws -> Pair {
        let inner = WrappedTransport(clock, trust: trust, act)
        return Pair(outer: try wrap(inner, .testing(clock: clock, observer: observer)), inner: inner)
    }

    static let address = "https://api.example.com/a%2Fb?q=%26&c=1"

    static func request(_ method: String, body: [UInt8]? = nil) -> TransportRequest {
        TransportRequest(
            method, address,
            fields: HeaderFields([("X-Twice", "one"), ("Authorization", "Bearer a"), ("x-twice", "two")]),
            body: body)
    }

    /// Returns whether every line of `some` is among `all`, in that order.
    static func holds(_ all: HeaderFields, _ some: HeaderFields) -> Bool {
        var rest = some.lines[...]
        for line in all.lines {
            if let next = rest.first, next.name.lowercased() == line.name.lowercased(), next.value == line.value {
                rest.removeFirst()
            }
        }
        return rest.isEmpty
    }
}
