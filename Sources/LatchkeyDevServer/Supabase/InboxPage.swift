import LatchkeyHTTPServer

extension DevState {
    /// Shows the mail and SMS that the Supabase dialect sent, newest first.
    func inboxPage() -> ServerResponse {
        let rows = supabase.inbox.latest.reversed().map { message in
            let address = Page.escape(message.to)
            let link = message.link.map { link in
                " <a href=\"\(Page.escape(link))\" aria-label=\"Open the link of \(message.sequence)\">Open the link</a>"
            }
            return
                "<li><strong>\(address)</strong> <span class=\"dim\">\(message.sequence), \(Page.escape(message.type))</span>"
                + "<br><code>\(Page.escape(message.code))</code>\(link ?? "")</li>"
        }
        let list = "<ul class=\"plain\">\(rows.joined())</ul>"
        return .html(
            Page.document(
                title: "Inbox",
                rows.isEmpty
                    ? "<p>No mail or SMS has been sent yet.</p>" : "<p>Newest first. Reload for more.</p>\(list)"))
    }
}
