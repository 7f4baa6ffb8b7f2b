import Latchkey

/// The guest book, as a transport: one guest, a pass that works once.
actor GuestbookService: HTTPTransport {
    static let address = "https://guestbook.example.com"
    private var pass: String?
    private var count = 0

    func send(_ request: TransportRequest, deadline: Duration) -> TransportResponse {
        let body = String(decoding: request.body ?? [], as: UTF8.self)
        switch (request.method, request.url.dropFirst(Self.address.count)) {
        case ("POST", "/session") where body.contains("\"4711\""): return grant()
        case ("POST", "/ticket") where pass.map { body.contains("\"\($0)\"") } == true: return grant()
        case ("POST", "/ticket"):
            return TransportResponse(status: 403, body: Array(#"{"refused":"pass_unknown"}"#.utf8))
        case ("DELETE", "/session"):
            pass = nil
            return TransportResponse(status: 204)
        default: return TransportResponse(status: 403, body: Array(#"{"refused":"pin_wrong"}"#.utf8))
        }
    }

    private func grant() -> TransportResponse {
        count += 1
        let next = "pass-\(count)-of-ada-and-nobody-else"
        pass = next
        let ticket = "ticket-\(count)-of-ada-and-nobody-else"
        let text = #"{"guest":"ada","pass":"\#(next)","ticket":"\#(ticket)","seconds":600}"#
        return TransportResponse(status: 200, body: Array(text.utf8))
    }
}
