import Latchkey
import LatchkeyModel
import LatchkeyOAuthCore

/// What a form does. Each leads to a page by a redirect, so that going back or reloading sends nothing again.
extension WebSignIn {
    func take(
        _ form: FormParameters, at route: WebRoute, _ request: WebRequest
    ) async -> Result<WebResponse, AuthError> {
        await result {
            let holder = try await self.holder(of: request)
            guard self.isOwnForm(form, request, holder) else { return self.foreign(holder, request) }
            if route == .language { return self.chooseLanguage(form) }
            let language = self.language(of: request)
            try await self.enter(holder, request)
            return try await self.hub.alone(holder.id, asGuest: holder.record == nil) { visitor in
                try await self.take(FormVisit(route: route, form: form, holder: holder, language: language), visitor)
            }
        }
    }

    private func foreign(_ holder: Holder, _ request: WebRequest) -> WebResponse {
        var response = page(.foreignForm, request)
        if case .guest(_, isNew: true) = holder.state {
            response.set(cookie: options.setting(holder.cookie, for: options.limits.guest))
        }
        return response
    }

    private func chooseLanguage(_ form: FormParameters) -> WebResponse {
        let place = form["return"].flatMap(LocalPath.init)?.text ?? options.path + "/sign-in"
        var response = WebResponse.redirect(to: place)
        if let language = form["language"].flatMap(TextLanguage.init(rawValue:)) {
            response.set(
                cookie: WebSignInOptions.field(
                    options.languageCookie, language.rawValue, for: .seconds(365 * 86_400)))
        }
        return response
    }

    @MainActor private func take(_ visit: FormVisit, _ visitor: Visitor) async throws -> WebResponse {
        let model = await visitor.pages.model()
        try await dropInterrupted(visit.holder, model)
        visitor.pages.complaints = FormComplaints()
        var place: String
        if let press = visit.form["press"].flatMap(ModelNotice.Press.init(rawValue:)) {
            await model.press(press)
            place = after(visit, model)
        } else {
            switch visit.route {
            case .signIn: place = try await send(.signIn, visit, visitor.pages, model)
            case .signUp: place = try await send(.signUp, visit, visitor.pages, model)
            case .reset: place = try await send(.recover, visit, visitor.pages, model)
            case .challenge: place = await answer(visit, visitor.pages, model)
            case .account: place = try await changeAccount(visit, visitor, model)
            case .sessions: place = try await endSessions(visit, visitor, model)
            case .locked: place = await unlock(visit, visitor, model)
            case .callback, .language, .style: place = options.home
            }
        }
        return try await settle(visit.holder, visitor, model, .redirect(to: place))
    }

    /// Where a conversation goes on.
    @MainActor func after(_ visit: FormVisit, _ model: AuthModel) -> String {
        switch model.stage.phase {
        case .asked, .answering, .answerPause, .elsewhere, .succeeded: return options.path + "/challenge"
        default: break
        }
        guard visit.route == .challenge else { return "\(options.path)/\(visit.route.rawValue)\(visit.query)" }
        return "\(options.path)/\(route(of: model.form.purpose).rawValue)"
    }

    // MARK: The forms of a conversation

    @MainActor private func send(
        _ purpose: ModelPurpose, _ visit: FormVisit, _ pages: VisitorPages, _ model: AuthModel
    ) async throws -> String {
        // Whoever sends a new form has given up what an older one asked.
        if model.stage.challenge != nil { await model.cancel() }
        guard model.show(purpose) == .done else { return options.path + "/sign-in" }
        try await pages.way.note(visit.form["return"].flatMap(LocalPath.init))
        visit.fill(&model.form)
        let (hints, broken) = (model.form.hints(in: visit.language), model.form.brokenRules)
        switch await model.submit() {
        case .notNow:
            let missing = model.form.shownFields.filter { $0.required && (model.form.fields[$0.name]?.isEmpty ?? true) }
            pages.complaints = FormComplaints(
                missing: model.form.missing, fields: Set(missing.map(\.name)), hints: hints)
            model.form.wipe()
        case .failed: (pages.complaints.hints, pages.complaints.broken) = (hints, broken)
        default: break
        }
        return after(visit, model)
    }

    @MainActor private func answer(_ visit: FormVisit, _ pages: VisitorPages, _ model: AuthModel) async -> String {
        let present = model.stage.challenge.map { FormVisit.name(of: $0.id) }
        switch visit.form["do"] {
        case "cancel" where present == nil || present == visit.form["challenge"]: await model.cancel()
        case "check": break
        case _ where present != visit.form["challenge"]: pages.flash = "flash.gone"
        case "resend": if await model.resend() == .done { pages.flash = "flash.resent" }
        case "answer":
            model.editChallenge { visit.fill(&$0) }
            if await model.answer() == .notNow { pages.flash = "flash.empty" }
        default: break
        }
        return after(visit, model)
    }

    /// The browser comes back from the service. Whoever sent it here may be anybody, so an address that belongs to
    /// nothing that this browser has begun changes nothing.
    func arrive(_ request: WebRequest, _ holder: Holder, _ language: TextLanguage) async throws -> WebResponse {
        if case .guest(_, isNew: true) = holder.state { return page(.strayReturn, request) }
        try await enter(holder, request)
        return try await hub.alone(holder.id, asGuest: holder.record == nil) { visitor in
            try await self.arrive(request, holder, visitor) ?? self.page(.strayReturn, request)
        }
    }

    @MainActor private func arrive(
        _ request: WebRequest, _ holder: Holder, _ visitor: Visitor
    ) async throws -> WebResponse? {
        let model = await visitor.pages.model()
        guard let screen = model.stage.challenge, ReturnAddress.belongs(request.query, to: screen.ask) else {
            return nil
        }
        let address = Secret(options.origin + request.target)
        if request.query?["state"] == nil {
            await model.offer(address)
        } else {
            await model.answer(.redirected(address))
        }
        return try await settle(holder, visitor, model, .redirect(to: options.path + "/challenge"))
    }
}

/// A form that was sent, by whom, and in which language to answer.
struct FormVisit: Sendable {
    let route: WebRoute
    let form: FormParameters
    let holder: Holder
    let language: TextLanguage

    /// The query of the page that the form was on: which method, and where to go on.
    var query: String {
        let kept = ["method", "return"].compactMap { name in
            form[name].flatMap { value in
                name == "return" && LocalPath(value) == nil ? nil : "\(name)=\(FormText.encode(value))"
            }
        }
        return kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
    }

    /// Fills in the form as the page was filled in.
    func fill(_ form: inout SignInForm) {
        if let index = self.form["method"].flatMap({ Int($0) }), form.methods.indices.contains(index) {
            form.method = form.methods[index]
        }
        form.identifier = self.form["identifier"] ?? ""
        form.domain = self.form["domain"] ?? ""
        form.setPassword(self.form["password"] ?? "")
        for field in form.shownFields {
            if let value = self.form["field.\(field.name)"] { form.set(field.name, value) }
        }
    }

    func fill(_ screen: inout ChallengeScreen) {
        screen.wipe()
        if let entry = form["code"] ?? form["password"] { screen.setEntry(entry) }
        if let choice = form["choice"] { screen.choose(choice) }
        guard case .fields(let fields) = screen.ask else { return }
        for field in fields {
            if let value = form["field.\(field.name)"] { screen.set(field.name, value) }
        }
    }
}
