import Latchkey
import LatchkeyCurl
import LatchkeySystem
import LatchkeyTesting

/// A transport over real sockets that breaks exactly one promise about connections.
final class BrokenWire: HTTPTransport {
    enum Fault: String, CaseIterable, Sendable {
        case escapesAgain, renames, keepsCookies, answersFromMemory, oneAtATime, printsAddress, takesHalf, sendsTwice
        case failsOnDeadConnections, leavesOpen, growsBodies, keepsCompressed, addsTime

        var clause: String {
            switch self {
            case .escapesAgain: "the address arrives as it is written, without its fragment"
            case .renames: "a request names the program, or what it says itself"
            case .keepsCookies, .answersFromMemory: "nothing is kept from one request for the next"
            case .oneAtATime: "a request that waits holds up no other"
            case .printsAddress: "nothing of a request or an answer is printed"
            case .takesHalf: "an answer that is cut is interrupted, and no answer"
            case .sendsTwice: "a request that may not be written twice arrives once, whatever comes"
            case .failsOnDeadConnections: "a kept connection that is dead fails no request that may have another"
            case .leavesOpen: "what is given up is closed"
            case .growsBodies: "a whole answer comes whole, however it is framed"
            case .keepsCompressed: "a compressed answer is undone, or comes as the request asked"
            case .addsTime: "no answer before the deadline is timedOut, and may have been sent"
            }
        }
    }

    struct Spoken: Error, CustomStringConvertible { var description: String }

    let fault: Fault?
    private let curl = CurlTransport(sizeCap: 65_536)
    private let memory = Locked(
        (cookie: String?.none, answers: [String: TransportResponse](), isBusy: false, hasDied: false))

    init(_ fault: Fault?) { self.fault = fault }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        var request = request
        let key = request.method + request.url
        switch fault {
        case .escapesAgain: request.url = request.url.replacing("%2F", with: "/")
        case .renames: request.fields["User-Agent"] = "wire/1.0"
        case .keepsCookies: if let cookie = memory.withLock({ $0.cookie }) { request.fields["Cookie"] = cookie }
        case .answersFromMemory: if let known = memory.withLock({ $0.answers[key] }) { return known }
        case .oneAtATime:
            while memory.withLock({ $0.isBusy }) { try await Task.sleep(for: .milliseconds(1)) }
            memory.withLock { $0.isBusy = request.url.contains("/held/") }
        case .keepsCompressed:
            if request.fields["Accept-Encoding"] == nil { request.fields["Accept-Encoding"] = "gzip" }
        default: break
        }
        do {
            let answer = try await answer(to: request, deadline: deadline)
            memory.withLock { memory in
                memory.cookie = answer.fields["Set-Cookie"]?.split(separator: ";").first.map(String.init)
                if answer.fields["Cache-Control"] == "max-age=3600" { memory.answers[key] = answer }
                memory.hasDied = request.url.hasSuffix("/dies")
            }
            return answer
        } catch let error as TransportError {
            if fault == .takesHalf, request.url.contains("/half/") { return TransportResponse(status: 200) }
            if fault == .sendsTwice, error.code == .interrupted {
                return try await curl.send(request, deadline: deadline)
            }
            if fault == .printsAddress, error.code == .interrupted, request.url.contains("code=") {
                throw Spoken(description: request.url)
            }
            throw error
        }
    }

    private func answer(to request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        if fault == .failsOnDeadConnections, memory.withLock({ $0.hasDied }) {
            throw TransportError(.interrupted, wasSent: true)
        }
        if fault == .leavesOpen, request.url.contains("closed") {
            let task = Task { try await curl.send(request, deadline: .seconds(60)) }
            try await Task.sleep(for: .milliseconds(300))
            _ = task
            throw TransportError(.timedOut, wasSent: true)
        }
        var answer = try await curl.send(request, deadline: fault == .addsTime ? max(deadline, .seconds(3)) : deadline)
        if fault == .growsBodies, request.url.hasSuffix("/chunked") { answer.body += [0x0A] }
        return answer
    }
}
