import Latchkey
import LatchkeyClerk
import LatchkeySystem
import LatchkeySupabase
import LatchkeyWebSignIn

/// A page of the app's own: it adds an authenticator app to the account, which later sign-ins ask for.
final class FactorPage: Sendable {
    /// What an account is adding, until it types the first code.
    private struct Pending: Sendable {
        var id: String
        var key: Secret
        var address: Secret
    }

    private let dialect: Dialect
    private let web: WebSignIn
    private let pending = Locked<[AccountID: Pending]>([:])

    init(_ dialect: Dialect, _ web: WebSignIn) { (self.dialect, self.web) = (dialect, web) }

    func answer(_ person: WebPerson, isForm: Bool) async -> WebResponse {
        do throws(AuthError) {
            guard isForm else { return page(person, try await begin(person), nil) }
            guard let known = pending.withLock({ $0[person.account.id] }) else { return Board.back(to: "/factor") }
            let code = person.form["code"] ?? Secret("")
            do throws(AuthError) { try await verify(known, code, person) } catch {
                return page(person, known, error.text(in: person.language))
            }
            pending.withLock { $0[person.account.id] = nil }
            return web.page(
                texts(person).title, for: person,
                content: "<p role=\"status\" class=\"status\">\(texts(person).done)</p><p><a href=\"/\">OK</a></p>")
        } catch {
            return web.page(
                texts(person).title, state: error.text(in: person.language), for: person,
                content:
                    "<div role=\"alert\" class=\"alert\"><p>\(WebHTML.text(error.text(in: person.language)))</p></div>")
        }
    }

    private func begin(_ person: WebPerson) async throws(AuthError) -> Pending {
        if let known = pending.withLock({ $0[person.account.id] }) { return known }
        let begun: Pending
        switch dialect {
        case .supabase:
            let enrolment = try await person.client.supabase().enrollTOTP()
            begun = Pending(
                id: enrolment.id, key: enrolment.secret ?? Secret(""), address: enrolment.uri ?? Secret(""))
        case .clerk:
            let enrolment = try await person.client.clerk().enrollTOTP()
            begun = Pending(id: "", key: Secret(enrolment.key), address: Secret(enrolment.address))
        case .oauth: throw AuthError(.configuration(.unsupported), "The service has no factors.")
        }
        pending.withLock { $0[person.account.id] = begun }
        return begun
    }

    private func verify(_ known: Pending, _ code: Secret, _ person: WebPerson) async throws(AuthError) {
        switch dialect {
        case .supabase: try await person.client.supabase().verify(factor: known.id, code: code)
        case .clerk: _ = try await person.client.clerk().verifyTOTP(code)
        case .oauth: break
        }
    }

    private func page(_ person: WebPerson, _ known: Pending, _ complaint: String?) -> WebResponse {
        let texts = texts(person)
        let drawing = WebHTML.qrCode(known.address.revealText(), title: texts.qr) ?? ""
        let alert = complaint.map { text in
            """
            <div role="alert" class="alert"><p><strong>\(WebHTML.text(text))</strong></p>\
            <ul><li><a href="#code">\(texts.code)</a></li></ul></div>
            """
        }
        let invalid = complaint == nil ? "" : " aria-invalid=\"true\" aria-describedby=\"code-error\""
        let error = complaint.map { "<p class=\"error\" id=\"code-error\">\(WebHTML.text($0))</p>" } ?? ""
        let content = """
            \(alert ?? "")
            <p>\(texts.scan)</p>
            \(drawing)
            <p>\(texts.key) <code id="key">\(WebHTML.text(known.key.revealText()))</code></p>
            <form method="post" action="/factor" novalidate>
            <input type="hidden" name="\(WebSignIn.tokenField)" value="\(person.formToken)">
            <div class="field"><label for="code">\(texts.code)</label>\(error)
            <input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code"\(invalid)></div>
            <button type="submit">\(texts.add)</button>
            </form>
            """
        return web.page(texts.title, state: complaint, for: person, content: content)
    }

    private typealias Texts = (
        title: String, scan: String, qr: String, key: String, code: String, add: String, done: String
    )

    private func texts(_ person: WebPerson) -> Texts {
        person.language == .french
            ? (
                "Ajouter une application", "Scannez le code QR dans l’application, puis saisissez le code affiché.",
                "Code QR de la clé", "La clé à saisir :", "Code", "Ajouter", "L’application est ajoutée."
            )
            : (
                "Add an authenticator app", "Scan the QR code in the app, then enter the code that it shows.",
                "QR code of the key", "The key to type:", "Code", "Add it", "The app was added."
            )
    }
}
