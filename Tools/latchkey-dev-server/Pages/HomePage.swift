import LatchkeySystem
import LatchkeyHTTPServer

extension DevState {
    /// Returns a page that says what this server is and how to use it.
    func home(_ page: Page) -> ServerResponse {
        let users = configuration.users.map { Self.account($0.name, $0.password) }
        let supabase = configuration.supabase
        let supabaseUsers = supabase.users.map { Self.account($0.email, $0.password ?? "") }
        return page.answer(
            "home.title",
            """
            <p class="warning"><strong>\(page.text("home.note"))</strong> \(page.text("home.forgets"))</p>
            <dl><dt>\(page.text("home.issuer"))</dt><dd><code>\(HTMLText.escape(issuer))</code></dd>
            <dt>\(page.text("home.metadata"))</dt><dd>\(Self.link(.discovery))</dd>
            <dt>\(page.text("home.devices"))</dt><dd>\(Self.link(.device))</dd></dl>
            <h2>\(page.text("home.people"))</h2><ul class="rows">\(users.joined())</ul>
            <h2>\(page.text("home.supabase"))</h2>
            <dl><dt>\(page.text("home.address"))</dt><dd><code>\(HTMLText.escape(issuer))</code></dd>
            <dt>\(page.text("home.key"))</dt>
            <dd>\(supabase.publishableKey.map { Page.Value.code($0).html } ?? page.text("home.anyKey"))</dd>
            <dt>\(page.text("home.secretKey"))</dt><dd><code>\(HTMLText.escape(supabase.secretKey))</code></dd>
            <dt>\(page.text("home.mail"))</dt><dd>\(Self.link(.inbox))</dd></dl>
            <ul class="rows">\(supabaseUsers.joined())</ul>
            <h2>\(page.text("home.clients"))</h2><ul class="rows">\(configuration.clients.map { row($0, page) }.joined())</ul>
            """)
    }

    private func row(_ client: DevServer.Client, _ page: Page) -> String {
        let uses = client.grants.map(\.rawValue).sorted().joined(separator: ", ")
        let secret = client.secret.map { page.text("home.secret", ["secret": .code($0)]) } ?? page.text("home.public")
        return """
            <li><strong>\(HTMLText.escape(client.id))</strong>, \(secret)<br>\
            <span class="dim">\(HTMLText.escape(uses))</span></li>
            """
    }

    private static func account(_ name: String, _ password: String) -> String {
        "<li><strong>\(HTMLText.escape(name))</strong><br><code>\(HTMLText.escape(password))</code></li>"
    }

    private static func link(_ endpoint: DevServer.Endpoint) -> String {
        "<a href=\"\(endpoint.path)\">\(endpoint.path)</a>"
    }
}
