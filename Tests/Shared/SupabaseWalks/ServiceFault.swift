import Latchkey

/// What happens to one request on its way to the service and back.
enum ServiceFault: String, CaseIterable, Sendable {
    case requestLost = "request-lost"
    case answerLost = "answer-lost"
    /// Half of the answer arrives, and nothing says that there was more.
    case cut
    /// The service has acted, and its gateway gives up on its answer.
    case badGateway = "502"
    case page400, page401, page403, page404, page429, page500, page503
    /// The gateway does not take the project's key: Kong, the platform's own, and a Kong that finds none.
    case keyKong = "key-kong"
    case keyPlatform = "key-platform"
    case keyMissing = "key-missing"
    /// The process ends when the service has acted, and another one starts over the same store.
    case killed
    /// The service acts at once, and its answer does not come before the deadline.
    case late
    /// The service acts and answers after half of the deadline.
    case slow
    /// The service acts after half of the deadline, and its answer does not come before the deadline.
    case slowAndLate = "slow-and-late"

    /// Whether the request reaches the service.
    var reachesService: Bool {
        switch self {
        case .answerLost, .cut, .badGateway, .killed, .late, .slow, .slowAndLate: true
        default: false
        }
    }

    /// Whether a gateway refuses the project's key.
    var refusesKey: Bool { self == .keyKong || self == .keyPlatform || self == .keyMissing }

    var isSlow: Bool { self == .slow || self == .slowAndLate }

    /// What something in front of the service answers; `nil` if nothing in front of it answers.
    var page: TransportResponse? {
        switch self {
        case .badGateway: html(502, "Bad Gateway")
        case .page400: html(400, "Request Header Or Cookie Too Large")
        case .page401: html(401, "Authorization Required")
        case .page403: plain(403, "RBAC: access denied")
        case .page404: json(404, #"{"message":"no Route matched with those values"}"#)
        case .page429: html(429, "Too Many Requests")
        case .keyKong: json(401, #"{"message":"Invalid authentication credentials"}"#)
        case .keyPlatform:
            json(
                401,
                #"{"message":"Invalid API key","hint":"Double check your Supabase `anon` or `service_role` API key."}"#)
        case .keyMissing: json(401, #"{"message":"No API key found in request"}"#)
        case .page500: html(500, "Internal Server Error")
        case .page503: plain(503, "upstream connect error or disconnect/reset before headers")
        default: nil
        }
    }

    private func html(_ status: Int, _ title: String) -> TransportResponse {
        let page = "<html><head><title>\(status) \(title)</title></head><body><h1>\(title)</h1></body></html>"
        return TransportResponse(status: status, fields: ["Content-Type": "text/html"], body: Array(page.utf8))
    }
    private func plain(_ status: Int, _ text: String) -> TransportResponse {
        TransportResponse(status: status, fields: ["Content-Type": "text/plain"], body: Array(text.utf8))
    }
    private func json(_ status: Int, _ text: String) -> TransportResponse {
        TransportResponse(status: status, fields: ["Content-Type": "application/json"], body: Array(text.utf8))
    }
}
