import LatchkeyCrypto
import LatchkeyHTTPServer

/// Ties a form to the browser that was shown it, so that no other page can submit it.
enum BrowserCheck {
    /// The browser's cookie, if it has one of ours.
    static func cookie(of request: ServerRequest) -> String? {
        let prefix = DevServerWire.cookie + "="
        var cookies: [Substring] = []
        for field in request.fields where field.name.lowercased() == "cookie" {
            cookies += field.value.split(separator: ";").map { $0.drop { $0 == " " } }
        }
        let ours = cookies.filter { $0.hasPrefix(prefix) }
        guard ours.count == 1, let value = ours.first?.dropFirst(prefix.count), value.utf8.count == 43,
            value.allSatisfy(\.isBase64URL)
        else { return nil }
        return String(value)
    }

    /// Returns the browser's cookie, or a new one.
    static func browser(of request: ServerRequest) -> String { cookie(of: request) ?? DevState.random("") }

    /// Sets the browser's cookie, which is sent back only from our own pages.
    static func mark(_ response: ServerResponse, browser: String) -> ServerResponse {
        var response = response
        response.fields.append(
            ("Set-Cookie", "\(DevServerWire.cookie)=\(browser); HttpOnly; SameSite=Strict; Path=/; Max-Age=3600"))
        return response
    }

    /// Whether the request comes from one of our pages that was shown to `browser`.
    static func isOwn(_ request: ServerRequest, browser: String) -> Bool {
        if let site = request.field("Sec-Fetch-Site"), site != "same-origin", site != "none" { return false }
        guard let cookie = cookie(of: request) else { return false }
        return constantTimeEqual(Array(cookie.utf8), Array(browser.utf8))
    }
}
