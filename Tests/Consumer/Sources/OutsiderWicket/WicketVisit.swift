import Latchkey

/// What the page of one question says to whom.
struct WicketVisit: Sendable {
    let form: WicketForm
    /// Host and port.
    let place: String
    let path: String
    let turn: WicketTurn

    /// Returns the page for a request, and the answer that the request brings.
    func page(for request: WicketRequest) async -> (page: WicketPage, answer: Answer?) {
        // A name of another machine that leads here would be a web page's way in.
        guard request.fields.all("Host") == [place] else { return (.refused(403), nil) }
        guard Secret(request.target) == Secret(path) else { return (.refused(404), nil) }
        switch request.method {
        case "GET": return (.asks(form.html), nil)
        case "POST":
            let origins = request.fields.all("Origin")
            guard origins.allSatisfy({ $0 == "http://\(place)" }) else { return (.refused(403), nil) }
            let values = WicketForm.values(request.body)
            guard let ticket = values["ticket"], Secret(ticket) == form.ticket else { return (.refused(403), nil) }
            guard let answer = form.answer(values) else { return (.refused(422), nil) }
            guard await turn.take() else { return (.refused(409), nil) }
            return (.thanks, answer)
        default: return (.refused(405), nil)
        }
    }
}

/// A page as it goes over the wire.
enum WicketPage {
    case asks(String)
    case thanks
    case refused(Int)

    var bytes: [UInt8] {
        let (status, text) =
            switch self {
            case .asks(let html): (200, html)
            case .thanks: (200, "<p>Thank you. You can close this page.</p>")
            case .refused(let status): (status, "<p>This page takes no such answer.</p>")
            }
        let body = "<!DOCTYPE html><meta charset=utf-8><title>Sign-in</title>\(text)"
        return Array(
            """
            HTTP/1.1 \(status) -\r
            Content-Type: text/html; charset=utf-8\r
            Content-Length: \(body.utf8.count)\r
            Cache-Control: no-store\r
            Content-Security-Policy: default-src 'none'; form-action 'self'; frame-ancestors 'none'\r
            Connection: close\r
            \r
            \(body)
            """.utf8)
    }
}
