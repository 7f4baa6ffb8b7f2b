import Latchkey
import LatchkeyModel
import LatchkeyOAuthCore

/// The form of a sign-in, a sign-up or a recovery.
@MainActor struct FormPage {
    private let model: AuthModel
    private let pages: VisitorPages
    private let visit: PageVisit
    private let options: WebSignInOptions
    private let form: SignInForm
    private let method: (index: Int, value: FormMethod)?

    init(_ model: AuthModel, _ pages: VisitorPages, _ visit: PageVisit, _ options: WebSignInOptions) {
        (self.model, self.pages, self.visit, self.options) = (model, pages, visit, options)
        var form = model.form
        let named = visit.query["method"].flatMap { Int($0) }.flatMap { form.methods.indices.contains($0) ? $0 : nil }
        let index = named ?? form.method.flatMap { form.methods.firstIndex(of: $0) } ?? 0
        if form.methods.indices.contains(index) { form.method = form.methods[index] }
        method = form.method.map { (index, $0) }
        self.form = form
    }

    private var returnPath: String? { visit.query["return"].flatMap(LocalPath.init)?.text }

    func html(_ frame: PageFrame) -> String {
        let fields = fields(frame)
        let hidden: KeyValuePairs<String, String?> = ["method": "\(method?.index ?? 0)", "return": returnPath]
        let notice = NoticeView(
            notice: model.notice, pause: model.pauseText(in: frame.language), fields: fields, route: visit.route,
            hidden: hidden)
        let content = """
            \(notice.html(frame))
            \(frame.status(visit.query["said"] == "signedOut" ? frame.text("flash.signedOut") : nil))
            \(frame.status(visit.holder.wasRefused ? frame.text("session.over") : nil))
            \(signedIn(frame))
            \(frame.form(visit.route, with: hidden, "\(fields.html)\n\(frame.button(submitText(frame)))"))
            \(others(frame))
            \(links(frame))
            """
        let title = frame.text("title.\(visit.route.rawValue)")
        return frame.page(title, state: notice.isEmpty ? nil : frame.text("state.error"), here: here, content)
    }

    private var here: String {
        "\(options.path)/\(visit.route.rawValue)" + (returnPath.map { "?return=\(FormText.encode($0))" } ?? "")
    }

    private func submitText(_ frame: PageFrame) -> String {
        guard form.purpose == .signIn, let method = method?.value else {
            return frame.text("submit.\(visit.route.rawValue)")
        }
        return method.kind == .password ? frame.text("submit.sign-in") : method.label(in: frame.language)
    }

    private func fields(_ frame: PageFrame) -> [FieldView] {
        var fields: [FieldView] = []
        let missing = pages.complaints.missing
        func complaint(_ input: FormMethod.Input) -> String? {
            missing.contains(input) ? frame.text("missing.\(input.rawValue)") : nil
        }
        if form.inputs.contains(.identifier) {
            let kind = form.identifierKind
            fields.append(
                FieldView(
                    name: "identifier", label: frame.text("identifier.\(kind.rawValue)"),
                    type: kind == .mail ? "email" : kind == .phone ? "tel" : "text", value: form.identifier,
                    autocomplete: "username", inputMode: kind == .mail ? "email" : kind == .phone ? "tel" : "text",
                    hints: pages.complaints.hints.isEmpty
                        ? [] : form.addressHint.map { [$0.text(in: frame.language)] } ?? [],
                    complaint: complaint(.identifier)))
        }
        if form.inputs.contains(.domain) {
            fields.append(
                FieldView(
                    name: "domain", label: frame.text("domain"), value: form.domain, autocomplete: "organization",
                    inputMode: "url", complaint: complaint(.domain)))
        }
        if form.inputs.contains(.password) {
            let isNew = form.purpose == .signUp
            let broken = pages.complaints.broken.map { form.passwordRules.text($0, in: frame.language) }
            fields.append(
                FieldView(
                    name: "password", label: frame.text("password"), type: "password",
                    autocomplete: isNew ? "new-password" : "current-password", inputMode: "text",
                    hints: isNew ? form.passwordRules.sentences(in: frame.language) : [],
                    complaint: complaint(.password) ?? (broken.isEmpty ? nil : broken.joined(separator: "; "))))
        }
        return fields
            + form.shownFields.map { Self.field($0, frame, isMissing: pages.complaints.fields.contains($0.name)) }
    }

    static func field(_ field: Ask.Field, _ frame: PageFrame, isMissing: Bool) -> FieldView {
        FieldView(
            name: "field.\(field.name)", label: CleanName.words(field.name), type: field.secret ? "password" : "text",
            autocomplete: field.rules != nil ? "new-password" : "off", inputMode: "text", hints: field.rules ?? [],
            complaint: isMissing ? frame.text("missing.fields") : nil, isRequired: field.required)
    }

    /// Who is signed in already, for a person who adds an account.
    private func signedIn(_ frame: PageFrame) -> String {
        guard visit.holder.record != nil, let label = model.person?.label else { return "" }
        return "<p>\(frame.html("signedInAs", ["name": label]))</p>"
    }

    /// The other ways to sign in, as links to the same page.
    private func others(_ frame: PageFrame) -> String {
        guard form.purpose == .signIn, form.methods.count > 1 else { return "" }
        let back = returnPath.map { "&return=\(FormText.encode($0))" } ?? ""
        let links = form.methods.enumerated().filter { $0.offset != method?.index }.map { index, method in
            let place = WebHTML.text("\(options.path)/sign-in?method=\(index)\(back)")
            return "<li><a href=\"\(place)\">\(WebHTML.text(method.label(in: frame.language)))</a></li>"
        }
        return """
            <nav aria-label="\(frame.html("methods"))"><h2>\(frame.html("methods"))</h2><ul>\(links.joined())</ul></nav>
            """
    }

    private func links(_ frame: PageFrame) -> String {
        let back = returnPath.map { "?return=\(FormText.encode($0))" } ?? ""
        let pages: [(ModelPurpose, WebRoute)] = [(.signIn, .signIn), (.signUp, .signUp), (.recover, .reset)]
        let links = pages.filter { $0.0 != form.purpose && model.purposes.contains($0.0) }.map { _, route in
            let place = WebHTML.text("\(options.path)/\(route.rawValue)\(back)")
            return "<li><a href=\"\(place)\">\(frame.html("link.\(route.rawValue)"))</a></li>"
        }
        return links.isEmpty ? "" : "<ul class=\"links\">\(links.joined())</ul>"
    }
}

/// The name of a field as a service writes it, as words.
enum CleanName {
    static func words(_ name: String) -> String {
        let words = name.map { $0 == "_" || $0 == "." || $0 == "-" ? " " : $0 }
        return words.first.map { $0.uppercased() + String(words.dropFirst()) } ?? ""
    }
}
