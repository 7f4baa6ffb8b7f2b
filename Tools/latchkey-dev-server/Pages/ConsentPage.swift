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
        return BrowserCheck.mark(consent(id, pending, Page(for: request)), browser: browser)
    }

    /// Handles the person's decision.
    mutating func decide(_ request: ServerRequest, now: Double, note: inout Note) -> ServerResponse {
        guard let form = try? Parameters(form: request), let id = form[DevServerWire.transaction],
            var pending = pages[id], pending.expires > now, BrowserCheck.isOwn(request, browser: pending.browser)
        else { return refusePage("refused.page", request, note: &note) }
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
                return consent(
                    id, pending, Page(for: request), problem: .password, chosen: form[DevServerWire.username])
            }
        }
        pages[id] = nil
        note.outcome = ErrorCode.accessDenied.rawValue
        let refusal = OAuthFailure(.accessDenied, "The person said no.")
        return refuse(authorization.redirectURI, refusal, state: authorization.state)
    }

    private func consent(
        _ id: String, _ pending: PendingPage, _ page: Page, problem: Page.Problem? = nil, chosen: String? = nil
    ) -> ServerResponse {
        let authorization = pending.authorization
        let chosen = chosen ?? authorization.loginHint.flatMap { user(named: $0)?.name }
        let decision = page.decision(of: configuration.users, chosen: chosen, problem: problem)
        let asks = page.text("consent.asks", ["client": .strong(authorization.clientID)])
        let back = page.text("consent.back", ["place": .strong(Self.place(of: authorization.redirectURI))])
        return page.answer(
            "consent.title", status: problem == nil ? 200 : 403, problem: problem,
            """
            \(page.alert(problem))
            <p>\(asks)</p>\(page.scopes(authorization.scopes))
            \(page.form(.decision, hidden: [(DevServerWire.transaction, id)], decision))
            <p class="note">\(back)</p>
            """)
    }

    /// Returns the host and port of a web address; of another one, its scheme.
    private static func place(of address: String) -> String {
        let parts = address.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].isEmpty, ["http:", "https:"].contains(parts[0]) else {
            return String(parts[0])
        }
        return String(parts[2].prefix { !"/?#".contains($0) })
    }
}

extension Page.Problem {
    /// The password is wrong.
    static let password = Page.Problem(text: "password.wrong", field: DevServerWire.password)
    /// No device waits with the code.
    static let userCode = Page.Problem(text: "device.unknown", field: DevServerWire.userCode)
}
