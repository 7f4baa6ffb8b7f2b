/// Whether a form was sent by a page of this server.
enum RequestOrigin {
    /// Looks at what the browser itself says, which no page can change: `Sec-Fetch-Site` (Fetch Metadata, section
    /// 2.4) and `Origin` (Fetch Standard, section 3.2). A request without either is not refused for that: the
    /// form's token decides.
    static func isOwn(_ request: WebRequest, origin: String) -> Bool {
        let sites = request.values(of: "Sec-Fetch-Site")
        guard sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else { return false }
        let origins = request.values(of: "Origin")
        return origins.allSatisfy { $0 == origin }
    }
}
