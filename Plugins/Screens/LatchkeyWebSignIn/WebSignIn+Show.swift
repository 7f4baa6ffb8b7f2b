import Latchkey
import LatchkeyModel
import LatchkeyOAuthCore

/// What a GET shows.
extension WebSignIn {
    func show(
        _ route: WebRoute, _ request: WebRequest, _ query: FormParameters
    ) async -> Result<WebResponse, AuthError> {
        guard route.isPage else { return .success(page(.method(route), request)) }
        return await result {
            let holder = try await self.holder(of: request)
            let language = self.language(of: request)
            if route == .callback { return try await self.arrive(request, holder, language) }
            let visit = PageVisit(route: route, query: query, holder: holder, language: language)
            var response: WebResponse
            if try await self.isBlank(holder) {
                response = try await self.draw(visit, try await self.hub.blank())
            } else {
                response = try await self.hub.alone(holder.id, asGuest: holder.record == nil) {
                    try await self.draw(visit, $0)
                }
            }
            if case .guest(_, isNew: true) = holder.state {
                response.set(cookie: self.options.setting(holder.cookie, for: self.options.limits.guest))
            }
            return response
        }
    }

    @MainActor private func draw(_ visit: PageVisit, _ visitor: Visitor) async throws -> WebResponse {
        let model = await visitor.pages.model()
        try await dropInterrupted(visit.holder, model)
        switch visit.route {
        case .signIn: return form(.signIn, visit, visitor.pages, model)
        case .signUp: return form(.signUp, visit, visitor.pages, model)
        case .reset: return form(.recover, visit, visitor.pages, model)
        case .challenge: return conversation(visit, visitor.pages, model)
        case .account, .sessions, .locked: return try await personal(visit, visitor.pages, model)
        case .callback, .language, .style: return .redirect(to: options.path + "/sign-in")
        }
    }

    /// A sign-in that was granted and not finished, because the server was stopped between the two: this browser has
    /// no cookie of it, and the next visitor must not find it. While the service is still asking, the account is that
    /// of another device which has just answered: it is there a moment before the conversation ends.
    @MainActor func dropInterrupted(_ holder: Holder, _ model: AuthModel) async throws {
        switch model.stage.phase {
        case .asked, .answering, .answerPause, .succeeded: return
        default: break
        }
        guard holder.record == nil else { return }
        for account in model.accounts { await model.signOut(of: account.id) }
    }

    @MainActor private func form(
        _ purpose: ModelPurpose, _ visit: PageVisit, _ pages: VisitorPages, _ model: AuthModel
    ) -> WebResponse {
        switch model.stage.phase {
        case .asked, .answering, .answerPause, .succeeded: return .redirect(to: options.path + "/challenge")
        default: break
        }
        if model.form.purpose != purpose || model.stage.phase == .elsewhere || model.form.method == nil,
            model.show(purpose) != .done
        {
            return .page(MessagePage.notFound.html(frame(visit)), status: 404)
        }
        let page = FormPage(model, pages, visit, options)
        pages.flash = nil
        return .page(page.html(frame(visit)))
    }

    @MainActor private func conversation(
        _ visit: PageVisit, _ pages: VisitorPages, _ model: AuthModel
    ) -> WebResponse {
        defer { pages.flash = nil }
        switch model.stage.phase {
        case .asked, .answering, .answerPause:
            guard let screen = model.stage.challenge else { break }
            return .page(ChallengePage(screen, model, pages.flash, visit, options).html(frame(visit)))
        case .elsewhere: return .page(ElsewherePage(model, visit, options).html(frame(visit)))
        case .succeeded: return .page(SucceededPage(model, visit, options).html(frame(visit)))
        default: break
        }
        return .redirect(to: "\(options.path)/\(route(of: model.form.purpose).rawValue)")
    }

    @MainActor private func personal(
        _ visit: PageVisit, _ pages: VisitorPages, _ model: AuthModel
    ) async throws -> WebResponse {
        guard let record = visit.holder.record else {
            let place = FormText.encode("\(options.path)/\(visit.route.rawValue)")
            return .redirect(to: "\(options.path)/sign-in?return=\(place)")
        }
        if model.state == .locked || visit.route == .locked {
            guard model.state == .locked else { return .redirect(to: options.home) }
            guard visit.route == .locked else { return .redirect(to: options.path + "/locked") }
            return .page(LockPage(model, visit, options).html(frame(visit)))
        }
        let accounts = model.accounts.filter { record.accounts.contains($0.id.value) }
        guard let person = accounts.first else { return .redirect(to: options.path + "/sign-in") }
        defer { pages.flash = nil }
        if visit.route == .sessions {
            let browsers = try await records.browsers(of: person.id)
            let page = SessionsPage(person, browsers, pages.flash, model, visit, options)
            return .page(page.html(frame(visit)))
        }
        return .page(AccountPage(accounts, pages.flash, model, visit, options).html(frame(visit)))
    }

    func frame(_ visit: PageVisit) -> PageFrame {
        PageFrame(options, visit.language, token: visit.holder.token, act: context.randomName(bytes: 12))
    }

    func route(of purpose: ModelPurpose) -> WebRoute {
        switch purpose {
        case .signIn, .link: .signIn
        case .signUp: .signUp
        case .recover: .reset
        }
    }
}

/// A request for a page, by whom, and in which language.
struct PageVisit: Sendable {
    let route: WebRoute
    let query: FormParameters
    let holder: Holder
    let language: TextLanguage
}
