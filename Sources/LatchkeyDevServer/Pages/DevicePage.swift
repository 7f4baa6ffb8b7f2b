import LatchkeyCrypto
import LatchkeyHTTPServer

extension DevState {
    /// Shows the page for entering the code of a device, RFC 8628 section 3.3.
    mutating func devicePage(_ request: ServerRequest, now: Double, note: inout Note) -> ServerResponse {
        note.grant = DevServer.Grant.deviceCode.rawValue
        let browser = BrowserCheck.browser(of: request)
        guard request.method == "POST" else {
            note.outcome = "asked"
            let query = Parameters(request.queryPairs)
            return BrowserCheck.mark(.html(deviceForm(browser, query[DevServerWire.userCode], nil)), browser: browser)
        }
        guard let form = try? Parameters(form: request), form[DevServerWire.transaction] == browser,
            BrowserCheck.isOwn(request, browser: browser)
        else { return refusePage("The page was shown to another browser.", note: &note) }
        let typed = form[DevServerWire.userCode] ?? ""
        guard let code = waitingDevice(typed, now: now) else {
            note.outcome = "unknown"
            let problem = Page.Problem(text: "No device waits with this code.", field: DevServerWire.userCode)
            return .html(deviceForm(browser, typed, problem), status: 404)
        }
        note.client = devices[code]?.clientID
        guard form[DevServerWire.decision] == "approve" else {
            _ = decideDevice(typed, user: nil, now: now)
            note.outcome = ErrorCode.accessDenied.rawValue
            return .html(Page.message(title: "Denied", "The device was not signed in. You can close this page."))
        }
        guard let user = user(form[DevServerWire.username], password: form[DevServerWire.password]) else {
            devices[code]?.failures += 1
            if let failures = devices[code]?.failures, failures >= Self.passwordTries {
                _ = decideDevice(typed, user: nil, now: now)
            }
            note.outcome = "wrong_password"
            let problem = Page.Problem(text: "The password is wrong.", field: DevServerWire.password)
            return .html(deviceForm(browser, typed, problem), status: 403)
        }
        _ = decideDevice(typed, user: user, now: now)
        return .html(Page.message(title: "Signed in", "Go back to your device. You can close this page."))
    }

    private func deviceForm(_ browser: String, _ userCode: String?, _ problem: Page.Problem?) -> String {
        let name = DevServerWire.userCode
        let field = """
            <p>Is this your device? Enter the code that it shows now. Approve only if you began this sign-in yourself.</p>
            <label>Code shown by the device<input name="\(name)" value="\(Page.escape(userCode ?? ""))" \
            autocapitalize="characters" spellcheck="false"\(Page.Problem.attributes(problem, of: name))></label>
            """
        return Page.document(
            title: "Sign in a device",
            Page.decisionForm(
                action: DevServer.Endpoint.device.path, hidden: [(DevServerWire.transaction, browser)],
                users: configuration.users, chosen: nil, problem: problem, extra: field))
    }
}
