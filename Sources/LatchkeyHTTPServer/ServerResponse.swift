/// One answer. `Content-Length` is the server's to write; `Date` too, unless `fields` has one.
package struct ServerResponse: Sendable {
    /// The status code, 200 to 599.
    package var status: Int
    /// The header fields in order.
    package var fields: [(name: String, value: String)]
    /// The body.
    package var body: [UInt8]
    /// Where the connection breaks, as a count of body bytes. `Content-Length` still tells the whole size.
    package var breaksAfter: Int?
    /// Runs when the answer has left, or its connection is lost: the client sees all of it even if the server stops now.
    package var whenDone: (@Sendable () -> Void)?

    /// An answer with the given parts.
    package init(status: Int = 200, fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The value of the first field called `name`, whatever its case.
    package func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Puts `value` in place of every field called `name`.
    package mutating func set(_ name: String, _ value: String) {
        fields.removeAll { $0.name.lowercased() == name.lowercased() }
        fields.append((name, value))
    }
}

extension ServerResponse {
    /// A JSON document that no cache keeps.
    package static func json(_ body: [UInt8], status: Int = 200) -> ServerResponse {
        ServerResponse(
            status: status, fields: [("Content-Type", "application/json"), ("Cache-Control", "no-store")], body: body)
    }

    /// A page without scripts and outside resources, that no cache keeps, no frame shows and no referrer tells of.
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

    /// Plain text.
    package static func text(_ text: String, status: Int = 200) -> ServerResponse {
        ServerResponse(
            status: status,
            fields: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
            body: Array(text.utf8))
    }

    /// Sends the browser to `location` with a GET, and keeps the address it comes from to itself.
    package static func redirect(to location: String, status: Int = 303) -> ServerResponse {
        ServerResponse(
            status: status,
            fields: [
                ("Location", location), ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"),
            ])
    }
}
