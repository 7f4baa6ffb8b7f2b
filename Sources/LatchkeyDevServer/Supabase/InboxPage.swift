import LatchkeyHTTPServer

extension DevState {
    /// Shows the mail and SMS that the Supabase dialect sent, newest first.
    func inboxPage() -> ServerResponse {
        let rows = supabase.inbox.latest.reversed().map { message in
            let link = message.link.map { " <a href=\"\(Page.escape($0))\">link</a>" } ?? ""
            return "<tr><td>\(Page.escape(message.to))</td><td>\(Page.escape(message.type))</td>"
                + "<td><code>\(Page.escape(message.code))</code>\(link)</td></tr>"
        }
        return .html(
            Page.document(
                title: "Inbox",
                "<table><tr><th>To</th><th>For</th><th>Code</th></tr>\(rows.joined())</table>"))
    }
}
