import LatchkeySystem
import LatchkeyHTTPServer
import LatchkeyJSON

extension DevState {
    /// How often the page asks again by itself, in seconds: often enough for who waits for a mail, and seldom enough
    /// for who reads it out.
    private static let inboxInterval = 15

    /// Shows the mail and SMS that the Supabase and Clerk dialects sent, newest first. The page refreshes itself, without a
    /// script, until the person stops it (WCAG 2.2, success criterion 2.2.2).
    ///
    /// A program gets JSON: at `/inbox.json`, or where its `Accept` has `application/json` and no `text/html`.
    func inboxPage(_ request: ServerRequest, now: Double) -> ServerResponse {
        let accepted = request.field("Accept")?.lowercased() ?? ""
        let wantsJSON = accepted.contains("application/json") && !accepted.contains("text/html")
        guard request.path == DevServer.Endpoint.inbox.path, !wantsJSON else {
            return .json(supabase.inbox.document(request).serialized())
        }
        let (page, path) = (Page(for: request), DevServer.Endpoint.inbox.path)
        let isPaused = request.queryPairs.contains { $0.name == DevServerWire.paused }
        let wall = now + Double(configuration.clockSkew)
        let rows = supabase.inbox.latest.reversed().map { row($0, page, now: wall) }
        let says =
            isPaused
            ? page.text("inbox.paused") : page.text("inbox.refreshes", ["n": .plain(String(Self.inboxInterval))])
        let turn =
            isPaused
            ? "<a href=\"\(path)\">\(page.text("inbox.resume"))</a>"
            : "<a href=\"\(path)?\(DevServerWire.paused)=1\">\(page.text("inbox.pause"))</a>"
        let list =
            rows.isEmpty
            ? "<p class=\"note\">\(page.text("inbox.empty"))</p>" : "<ul class=\"rows\">\(rows.joined())</ul>"
        let head = "<p class=\"dim\">\(says) <span class=\"whole\">\(turn)</span></p>"
        var answer = page.answer("inbox.title", head + list)
        if !isPaused { answer.set("Refresh", "\(Self.inboxInterval);url=\(path)") }
        return answer
    }

    private func row(_ message: DevServer.SupabaseMessage, _ page: Page, now: Double) -> String {
        let number = ["n": Page.Value.plain(String(message.sequence))]
        let link = message.link.map { link in
            """
            <p><a class="button" href="\(HTMLText.escape(link))" aria-label="\(page.text("inbox.link.of", number))">\
            \(page.text("inbox.link"))</a></p>
            """
        }
        let (date, clock) = HTTPDate.parts(Int64(message.sentAt))
        let kind = page.text("mail.\(message.type)")
        return """
            <li><p><strong>\(kind)</strong><br>\(HTMLText.escape(message.to))</p>
            <p class="code"><code>\(HTMLText.escape(message.code))</code></p>\(link ?? "")
            <p class="dim"><time datetime="\(date)T\(clock)Z">\(page.ago(now - message.sentAt)), \(date) \(clock) UTC</time>
            </p></li>
            """
    }
}
