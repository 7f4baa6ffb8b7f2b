import Latchkey
import LatchkeyCurl
import LatchkeyTesting

/// A transport that serves the contract's routes from memory, asks the contract's own server by libcurl, and breaks exactly
/// one promise.
struct RoutesTransport: HTTPTransport {
    enum Fault: String, CaseIterable, Sendable {
        case dropsBody, throwsOnServerErrors, followsRedirects, joinsFields, noCap, waitsForEver, ignoresCancelling
        case neverSaysNotSent, sendsAnything, mixesAnswers

        var clause: String {
            switch self {
            case .dropsBody: "method, fields and body arrive as they are"
            case .throwsOnServerErrors: "every status is an answer and no error"
            case .followsRedirects: "a redirect is returned and never followed"
            case .joinsFields: "repeated fields come back each"
            case .noCap: "more bytes than the cap is tooLarge"
            case .waitsForEver: "no answer before the deadline is timedOut, and may have been sent"
            case .ignoresCancelling: "cancelling gives the request up with CancellationError"
            case .neverSaysNotSent: "no connection is unreachable, and was not sent"
            case .sendsAnything: "what is no request is invalidRequest, and was not sent"
            case .mixesAnswers: "answers of requests at once are not mixed up"
            }
        }
    }

    static let base = "http://127.0.0.1:4711"
    let fault: Fault?

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let isToken = request.fields.lines.allSatisfy { line in
            !line.name.contains(" ") && !line.value.utf8.contains(0x0D) && !line.value.utf8.contains(0x0A)
        }
        guard isToken, !request.method.contains(" "), let address = WebAddress(request.url), address.scheme == "http"
        else {
            if fault == .sendsAnything { return TransportResponse(status: 200) }
            throw TransportError(.invalidRequest, wasSent: false)
        }
        guard address.port == 4_711 || address.port == 1 else {
            return try await CurlTransport().send(request, deadline: deadline)
        }
        guard address.port == 4_711 else {
            throw TransportError(.unreachable, wasSent: fault == .neverSaysNotSent)
        }
        var routed = request
        routed.url = address.path
        if fault == .dropsBody { routed.body = nil }
        if fault == .mixesAnswers, request.body?.count == 1 { routed.body = [1] }
        guard var response = TransportRoutes.answer(to: routed) else {
            if deadline < .seconds(1) {
                if fault == .waitsForEver { throw TransportError(.timedOut, wasSent: false) }
                throw TransportError(.timedOut, wasSent: true)
            }
            if fault == .ignoresCancelling { return TransportResponse(status: 200) }
            try await Latch().wait()
            throw TransportError(.interrupted, wasSent: true)
        }
        if fault == .throwsOnServerErrors, response.status >= 500 { throw TransportError(.interrupted, wasSent: true) }
        if fault == .followsRedirects, response.status == 302 { response = TransportResponse(status: 200) }
        if fault == .joinsFields, response.fields["x-twice"] != nil { response.fields["x-twice"] = "one, two" }
        guard response.body.count <= 1 << 20 || fault == .noCap else {
            throw TransportError(.tooLarge, wasSent: true)
        }
        return response
    }
}
