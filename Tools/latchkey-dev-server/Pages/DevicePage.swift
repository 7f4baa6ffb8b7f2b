import LatchkeySystem
import LatchkeyCrypto
import LatchkeyHTTPServer

extension DevState {
    /// Shows the page for entering the code of a device, RFC 8628 section 3.3, and then the one that asks whether
    /// the device is the person's own. An address that has the code leads to the second page at once, which shows
    /// the code too (section 3.3.1).
    mutating func devicePage(_ request: ServerRequest, now: Double, note: inout Note) -> ServerResponse {
        note.grant = DevServer.Grant.deviceCode.rawValue
        let (browser, page) = (BrowserCheck.browser(of: request), Page(for: request))
        guard request.method == "POST" else {
            note.outcome = "asked"
            let typed = Parameters(request.queryPairs)[DevServerWire.userCode]
            let answer =
                if let typed, let code = waitingDevice(typed, now: now), let device = devices[code] {
                    confirmation(device, browser, page, now: now)
                } else {
                    entry(browser, page, typed, problem: typed == nil ? nil : .userCode, status: 200)
                }
            return BrowserCheck.mark(answer, browser: browser)
        }
        guard let form = try? Parameters(form: request), form[DevServerWire.transaction] == browser,
            BrowserCheck.isOwn(request, browser: browser)
        else { return refusePage("refused.browser", request, note: &note) }
        let typed = form[DevServerWire.userCode] ?? ""
        guard let code = waitingDevice(typed, now: now), let device = devices[code] else {
            note.outcome = "unknown"
            return entry(browser, page, typed, problem: .userCode, status: 404)
        }
        note.client = device.clientID
        switch form[DevServerWire.decision] {
        case "approve":
            let user = user(form[DevServerWire.username], password: form[DevServerWire.password])
            guard let user else { return refusePassword(for: code, form, browser, page, now: now, note: &note) }
            _ = decideDevice(typed, user: user, now: now)
            return page.message("device.approved", mark: .good)
        case "deny":
            _ = decideDevice(typed, user: nil, now: now)
            note.outcome = ErrorCode.accessDenied.rawValue
            return page.message("device.denied", mark: .bad)
        default:
            note.outcome = "asked"
            return confirmation(device, browser, page, now: now)
        }
    }

    private mutating func refusePassword(
        for code: String, _ form: Parameters, _ browser: String, _ page: Page, now: Double, note: inout Note
    ) -> ServerResponse {
        note.outcome = "wrong_password"
        devices[code]?.failures += 1
        guard let device = devices[code], device.failures < Self.passwordTries else {
            _ = decideDevice(form[DevServerWire.userCode] ?? "", user: nil, now: now)
            return page.message("device.tries", status: 403, mark: .bad)
        }
        return confirmation(
            device, browser, page, now: now, problem: .password, chosen: form[DevServerWire.username])
    }

    /// Returns the page that asks for the code.
    private func entry(
        _ browser: String, _ page: Page, _ userCode: String?, problem: Page.Problem?, status: Int
    ) -> ServerResponse {
        let attributes =
            " value=\"\(HTMLText.escape(userCode ?? ""))\" autocapitalize=\"characters\" spellcheck=\"false\""
        let field = page.field(
            DevServerWire.userCode, label: "device.code", problem: problem, attributes: attributes)
        let button = "<p class=\"actions\"><button class=\"primary\">\(page.text("device.continue"))</button></p>"
        return page.answer(
            "device.title", status: status, problem: problem,
            """
            \(page.alert(problem))
            <p>\(page.text("device.enter"))</p>
            \(page.form(.device, hidden: [(DevServerWire.transaction, browser)], field + button))
            """)
    }

    /// Returns the page that asks whether the device is the person's own.
    private func confirmation(
        _ device: DeviceRecord, _ browser: String, _ page: Page, now: Double, problem: Page.Problem? = nil,
        chosen: String? = nil
    ) -> ServerResponse {
        let asked = page.text("device.place", ["time": .html(page.ago(now - device.began))])
        // A program writes its name as it likes, so it stands apart from what the server knows.
        let agent = device.agent.map { "<br><span class=\"dim\">\(HTMLText.escape(String($0.prefix(80))))</span>" }
        let form = page.form(
            .device, hidden: [(DevServerWire.transaction, browser), (DevServerWire.userCode, device.userCode)],
            page.decision(of: configuration.users, chosen: chosen, problem: problem))
        return page.answer(
            "device.yours", status: problem == nil ? 200 : 403, problem: problem,
            """
            \(page.alert(problem))
            <p>\(page.text("device.shows"))</p><p class="code"><code>\(HTMLText.escape(device.userCode))</code></p>
            <dl><dt>\(page.text("device.client"))</dt><dd>\(HTMLText.escape(device.clientID))</dd>
            <dt>\(page.text("device.asked"))</dt><dd>\(asked)\(agent ?? "")</dd>
            <dt>\(page.text("device.scopes"))</dt><dd>\(page.scopes(device.scopes))</dd></dl>
            <p class="warning">\(page.text("device.warning"))</p>
            \(form)
            """)
    }
}
