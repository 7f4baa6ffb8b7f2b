import Latchkey
import LatchkeySystem

/// A transport that wraps another one, and breaks exactly one promise.
struct BrokenWrapper: HTTPTransport, TrustNaming {
    enum Fault: String, CaseIterable, Sendable {
        case losesField, writesTwice, losesCause, repeatsPost, deniesSending, forgetsDeadline, neverEnds, uncancellable
        case changesStatus, losesBodyLater, remembers, mixesTrust, tells

        var clause: String {
            switch self {
            case .losesField: "the wrapped transport gets the request as it is, and what is added to it"
            case .writesTwice: "the wrapped transport may do with a request what the caller allows, and no more"
            case .losesCause: "an error of the wrapped transport comes back with all that it knows"
            case .repeatsPost:
                "a request that may not be written twice reaches the wrapped transport once, whatever comes"
            case .deniesSending: "an error denies that the request was sent only if no try was"
            case .forgetsDeadline: "no try begins after the deadline, or may last beyond it"
            case .neverEnds: "what fails again and again comes back at last"
            case .uncancellable: "cancelling reaches the wrapped transport, and nothing is sent after it"
            case .changesStatus: "an answer of the wrapped transport comes back as it is"
            case .losesBodyLater: "each try is the same request"
            case .remembers: "each request reaches the wrapped transport, and waits for no other"
            case .mixesTrust: "what the wrapped transport says of its connections is passed on"
            case .tells: "nothing of a request or an answer is printed"
            }
        }
    }

    let fault: Fault?
    let inner: any TrustNaming
    let context: PluginContext
    let told: @Sendable (String) -> Void
    private let memory = Locked<TransportResponse?>(nil)

    init(
        _ fault: Fault?, _ inner: any TrustNaming, _ context: PluginContext, told: @escaping @Sendable (String) -> Void
    ) {
        self.fault = fault
        self.inner = inner
        self.context = context
        self.told = told
    }

    var trust: String { fault == .mixesTrust ? "any" : inner.trust }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        var request = request
        if fault == .losesField { request.fields["X-Twice"] = request.fields["X-Twice"] }
        if fault == .writesTwice { request.writing = .twice }
        if fault == .tells { told(request.url) }
        if fault == .remembers, request.body == nil, let known = memory.withLock({ $0 }) { return known }
        let end = context.clock.now() + deadline
        let most = fault == .neverEnds ? Int.max : 2
        var wasSent = false
        for number in 1... {
            do {
                let rest = fault == .forgetsDeadline ? deadline : end - context.clock.now()
                var answer = try await one(request, rest)
                if fault == .changesStatus, answer.status == 503 { answer.status = 500 }
                if fault == .remembers, !answer.body.isEmpty, answer.body.count < 2 { memory.withLock { $0 = answer } }
                return answer
            } catch var error as TransportError {
                wasSent = wasSent || error.wasSent
                let pause = Duration.milliseconds(10)
                let mayRepeat =
                    request.mayBeWrittenTwice
                    || fault == .repeatsPost && request.method == "POST"
                        && error.code == .interrupted
                guard number < most, mayRepeat, context.clock.now() + pause < end else {
                    error.wasSent = fault == .deniesSending ? error.wasSent : wasSent
                    throw fault == .losesCause ? TransportError(error.code, wasSent: error.wasSent) : error
                }
                try await context.clock.sleep(until: context.clock.now() + pause)
                if fault == .losesBodyLater { request.body = nil }
            }
        }
        throw TransportError(.unreachable, wasSent: false)
    }

    private func one(_ request: TransportRequest, _ rest: Duration) async throws -> TransportResponse {
        guard fault == .uncancellable else { return try await inner.send(request, deadline: rest) }
        return try await Task { try await inner.send(request, deadline: rest) }.value
    }
}
