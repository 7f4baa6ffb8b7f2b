/// One HTTP answer, for the app's own server to send. It may set a session cookie, so it prints as
/// its status only.
public struct WebResponse: Sendable, CustomStringConvertible, CustomReflectable {
    /// The status code.
    public var status: Int
    /// The header fields in order. `Content-Length` and `Date` are the server's to add.
    public var fields: [(name: String, value: String)]
    /// The body.
    public var body: [UInt8]

    /// Creates an answer. It has no security fields: ``secured()`` adds them.
    public init(status: Int = 200, fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The status.
    public var description: String { "status \(status)" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension WebResponse {
    /// Returns a page with the fields of ``secured()``.
    public static func page(_ html: String, status: Int = 200) -> WebResponse {
        WebResponse(
            status: status, fields: [("Content-Type", "text/html; charset=utf-8")], body: Array(html.utf8)
        ).secured()
    }

    /// Returns an answer that leads the browser to `location` with a GET.
    static func redirect(to location: String) -> WebResponse {
        WebResponse(status: 303, fields: [("Location", location)]).secured()
    }

    /// Returns the answer with the fields that keep a page to itself: no script, no foreign resource, no frame, no
    /// cache, no referrer, no power of the device. Styles and images come from this origin, and forms are sent to it.
    public func secured() -> WebResponse {
        var response = self
        response.fields += [
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
                    + "frame-ancestors 'none'"
            ),
            // With `no-referrer` browsers would send `Origin: null` with our own forms (Fetch Standard, section 3.2).
            ("Cache-Control", "no-store"), ("Referrer-Policy", "same-origin"), ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
        ]
        return response
    }

    mutating func set(cookie: String) { fields.append(("Set-Cookie", cookie)) }
}
