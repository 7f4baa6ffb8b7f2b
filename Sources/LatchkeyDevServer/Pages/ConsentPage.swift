import LatchkeyHTTPServer

extension DevState {
    /// The most wrong passwords on one page.
    static let passwordTries = 5

    /// Asks a person about an authorization request. The page lives for ten minutes.
    mutating func showConsent(
        _ authorization: Authorization, _ request: ServerRequest, now: Double, note: inout Note
    ) -> ServerResponse {
        note.outcome = "asked"
        let (id, browser) = (Self.random(""), BrowserCheck.browser(of: request))
        let pending = PendingPage(authorization: authorization, browser: browser, expires: now + 600)
        pages[id] = pending
        return BrowserCheck.mark(.html(consent(id, pending)), browser: browser)
    }

    /// Handles the person's decision.
    mutating func decide(_ request: ServerRequest, now: Double, note: inout Note) -> ServerResponse {
        guard let form = try? Parameters(form: request), let id = form[DevServerWire.transaction],
            var pending = pages[id], pending.expires > now, BrowserCheck.isOwn(request, browser: pending.browser)
        else { return refusePage("The page is unknown, too old, or was shown to another browser.", note: &note) }
        let authorization = pending.authorization
        note.client = authorization.clientID
        if form[DevServerWire.decision] == "approve" {
            if let user = user(form[DevServerWire.username], password: form[DevServerWire.password]) {
                pages[id] = nil
                return approve(authorization, user: user, now: now)
            }
            pending.failures += 1
            if pending.failures < Self.passwordTries {
                pages[id] = pending
                note.outcome = "wrong_password"
                let problem = Page.Problem(text: "The password is wrong.", field: DevServerWire.password)
                let page = consent(id, pending, problem: problem, chosen: form[DevServerWire.username])
                return .html(page, status: 403)
            }
        }
        pages[id] = nil
        note.outcome = ErrorCode.accessDenied.rawValue
        let refusal = OAuthFailure(.accessDenied, "The person said no.")
        return refuse(authorization.redirectURI, refusal, state: authorization.state)
    }

    private func consent(
        _ id: String, _ pending: PendingPage, problem: Page.Problem? = nil, chosen: String? = nil
    ) -> String {
        let authorization = pending.authorization
        let scopes = authorization.scopes.map { "<li>\(Self.words(of: $0))</li>" }.joined()
        let form = Page.decisionForm(
            action: DevServer.Endpoint.decision.path, hidden: [(DevServerWire.transaction, id)],
            users: configuration.users,
            chosen: chosen ?? authorization.loginHint.flatMap { user(named: $0)?.name }, problem: problem)
        return Page.document(
            title: "Sign in",
            """
            <p><strong>\(Page.escape(authorization.clientID))</strong> asks for:</p><ul>\(scopes)</ul>
            \(form)
            """)
    }

    /// What a scope means to a person, and its own name.
    private static func words(of scope: String) -> String {
        let words = [
            "openid": "who you are", "profile": "your name", "email": "your email address",
            "phone": "your phone number",
            "offline_access": "to stay signed in while you are away",
        ]
        let name = "<code>\(Page.escape(scope))</code>"
        return words[scope].map { "\($0) <span class=\"dim\">(\(name))</span>" } ?? name
    }
}
