import LatchkeyHTTPServer

extension DevState {
    /// Returns a page that says what this server is and how to use it.
    func home() -> ServerResponse {
        let users = configuration.users.map { Self.account($0.name, $0.password) }
        let listed = configuration.clients.map { client in
            let uses = client.grants.map(\.rawValue).sorted().joined(separator: ", ")
            let secret = client.secret.map { ", secret <code>\(Page.escape($0))</code>" } ?? ", public"
            return
                "<li><code>\(Page.escape(client.id))</code>\(secret)<br><span class=\"dim\">\(Page.escape(uses))</span></li>"
        }
        let supabaseUsers = configuration.supabase.users.map { Self.account($0.email, $0.password ?? "") }
        let metadata = DevServer.Endpoint.discovery.path
        return .html(
            Page.document(
                title: "Latchkey development server",
                """
                <p class="note"><strong>For development only.</strong> It forgets everything when it stops, and shows
                its passwords to anybody on this machine.</p>
                <p>Issuer: <code>\(Page.escape(issuer))</code>. Metadata: <a href="\(metadata)">\(metadata)</a>.
                Devices: <a href="\(DevServer.Endpoint.device.path)">\(DevServer.Endpoint.device.path)</a>.</p>
                <h2>People and their passwords</h2><ul>\(users.joined())</ul>
                <h2>Supabase project</h2>
                <p>Address: <code>\(Page.escape(issuer))</code>.
                Key: <code>\(Page.escape(configuration.supabase.publishableKey ?? "any"))</code>.
                Secret key: <code>\(Page.escape(configuration.supabase.secretKey))</code>.
                Mail and SMS: <a href="/inbox">/inbox</a>.</p>
                <ul>\(supabaseUsers.joined())</ul>
                <h2>Clients</h2><ul>\(listed.joined())</ul>
                """))
    }

    private static func account(_ name: String, _ password: String) -> String {
        "<li>\(Page.escape(name)): <code>\(Page.escape(password))</code></li>"
    }
}
