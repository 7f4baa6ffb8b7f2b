/// One answer. The server adds `Content-Length`, and also `Date` if `fields` has none.
package struct ServerResponse: Sendable {
    /// The status code, 200 to 599.
    package var status: Int
    /// The header fields in order.
    package var fields: [(name: String, value: String)]
    /// The body.
    package var body: [UInt8]
    /// The number of body bytes after which the connection breaks. `Content-Length` still has the whole size.
    package var breaksAfter: Int?
    /// Called when the answer was sent, or its connection was lost. From then on the server can stop without
    /// cutting it off.
    package var whenDone: (@Sendable () -> Void)?

    /// Creates an answer.
    package init(status: Int = 200, fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Returns the value of the first field called `name`, ignoring case.
    package func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Replaces every field called `name` by one with `value`.
    package mutating func set(_ name: String, _ value: String) {
        fields.removeAll { $0.name.lowercased() == name.lowercased() }
        fields.append((name, value))
    }
}

extension ServerResponse {
    /// Returns a JSON document that is not cached.
    package static func json(_ body: [UInt8], status: Int = 200) -> ServerResponse {
        ServerResponse(
            status: status, fields: [("Content-Type", "application/json"), ("Cache-Control", "no-store")], body: body)
    }

    /// Returns a page without scripts and external resources. It is not cached, not shown in frames, and sends no
    /// referrer.
    package static func html(_ page: String, status: Int = 200) -> ServerResponse {
        let policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
        return ServerResponse(
            status: status,
            fields: [
                ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
                ("Content-Security-Policy", policy), ("Referrer-Policy", "no-referrer"),
                ("X-Content-Type-Options", "nosniff"),
            ],
            body: Array(page.utf8))
    }

    /// Returns plain text.
    package static func text(_ text: String, status: Int = 200) -> ServerResponse {
        ServerResponse(
            status: status,
            fields: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
            body: Array(text.utf8))
    }

    /// Redirects the browser to `location` with a GET, without a referrer.
    package static func redirect(to location: String, status: Int = 303) -> ServerResponse {
        ServerResponse(
            status: status,
            fields: [
                ("Location", location), ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"),
            ])
    }
}
