import Latchkey
import LatchkeySystem
import LatchkeyOAuthCore
import LatchkeyTesting
import LatchkeyWebSignIn

@testable import LatchkeyModel

/// A conversation at the pages, by what a browser without scripts sends and shows.
struct PageSurface: Sendable {
    static let origin = "http://127.0.0.1:7777"
    static let callback = origin + "/auth/callback"

    let respondent: Respondent
    private let web: WebSignIn
    private let cookie = Locked<String?>(nil)

    init(_ respondent: Respondent) {
        self.respondent = respondent
        let town = respondent.town
        var options = WebSignInOptions(name: "Walk", origin: Self.origin)
        options.model.language = .english
        // What the app itself knows of passwords is on the page only; the service's rules are compared.
        options.model.passwordRules = PasswordRules(shortest: 1)
        options.model.signIn.redirect = Self.callback
        web = WebSignIn(
            store: MemoryStore(context: .testing(clock: town.clock)), options: options,
            context: .testing(clock: town.clock)
        ) { store, _ in try town.client(store) }
    }

    /// Fills in the first page as `request` says, and goes on to the end.
    func converse(_ request: SignInRequest) async throws -> [Passage] {
        var passages: [Passage] = []
        var page = try await send(request)
        // No conversation here has as many turns.
        for _ in 0..<12 {
            if let alert = page.alert { passages.append(.told(alert)) }
            if page.heading == "Go on elsewhere" { return passages + [.elsewhere] }
            guard let question = PageReader.question(page) else { return try await passages + granted() }
            passages.append(.asked(question))
            page = try await answer(question, page)
        }
        throw Town.Stuck()
    }

    /// The account, if somebody is signed in.
    private func granted() async throws -> [Passage] {
        let found = Locked<[Passage]>([])
        _ = await web.respond(to: WebRequest("GET", "/", fields: fields)) { person in
            found.withLock { $0 = [.granted(account: person.account.id.value, label: person.account.label)] }
            return WebResponse()
        }
        return found.withLock { $0 }
    }

    /// Fills in the first page as `request` says, and sends it.
    func send(_ request: SignInRequest) async throws -> Markup {
        let path: String
        var values: [String: String] = [:]
        var link: String?
        switch request {
        case .signIn(let method):
            path = "/auth/sign-in"
            link = ModelTexts.table.text("method.\(method.kind.rawValue)", in: .english)
            switch method {
            case .password(let identifier, let password):
                values = ["identifier": identifier, "password": password.revealText()]
            case .code(let identifier, _), .link(let identifier): values = ["identifier": identifier]
            default: break
            }
        case .signUp(let form):
            path = "/auth/sign-up"
            values = ["identifier": form.identifier, "password": form.password?.revealText() ?? ""]
        case .recover(let identifier): (path, values) = ("/auth/reset", ["identifier": identifier])
        default: throw Town.Stuck()
        }
        var page = try await get(path)
        // The way that is offered first has no link.
        if let place = link.flatMap(page.link) { page = try await get(place) }
        guard let form = page.forms.first(where: { $0.action == path }) else { throw Town.Stuck() }
        return try await post(form, values)
    }

    private func answer(_ question: Question, _ page: Markup) async throws -> Markup {
        func form(_ act: String) throws -> Markup.Form {
            guard let form = page.forms.first(where: { $0.acts.contains(act) }) else { throw Town.Stuck() }
            return form
        }
        switch question.kind {
        case .visit, .mail:
            let arrival = try await respondent.arrival(question)
            guard arrival.hasPrefix(Self.callback) else { throw Town.Stuck() }
            return try await get(String(arrival.dropFirst(Self.origin.utf8.count)))
        case .device:
            try respondent.approve(question)
            try await poll()
            return try await post(form("check"), ["do": "check"])
        case .choose:
            let id = page.first(/value="([^"]*)"[^>]*><label for="choice-\d+">Authenticator app</) ?? ""
            return try await post(form("answer"), ["choice": id, "do": "answer"])
        default:
            var values = ["do": "answer"]
            for field in question.fields {
                let name = question.kind == .fields ? "field.\(field.name)" : field.name
                values[name] = respondent.value(of: field.name, for: question)
            }
            return try await post(form("answer"), values)
        }
    }

    /// Waits until the model has heard of the approval, for which it asks by itself.
    private func poll() async throws {
        let time = respondent.town.keepTime()
        defer { time.cancel() }
        for _ in 0..<100_000 {
            if try await get("/auth/challenge").heading != "Use another device" { return }
            await Task.yield()
        }
        throw Town.Stuck()
    }

    // MARK: The browser

    private var fields: [(name: String, value: String)] {
        cookie.withLock { $0 }.map { [("Cookie", "__Host-session=\($0)")] } ?? []
    }

    private func get(_ target: String) async throws -> Markup {
        try await follow(WebRequest("GET", target, fields: fields))
    }

    func post(_ form: Markup.Form, _ values: [String: String]) async throws -> Markup {
        var pairs = form.inputs.filter { $0.type == "hidden" }.map { ($0.name, $0.value) }
        pairs += values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let body = pairs.map { "\(FormEncoding.encode($0.0))=\(FormEncoding.encode($0.1))" }.joined(separator: "&")
        let type = ("Content-Type", "application/x-www-form-urlencoded")
        return try await follow(
            WebRequest("POST", form.action, fields: fields + [type, ("Origin", Self.origin)], body: Array(body.utf8)))
    }

    private func follow(_ request: WebRequest) async throws -> Markup {
        var request = request
        for _ in 0..<8 {
            let response = await web.respond(to: request)
            for field in response.fields where field.name == "Set-Cookie" {
                let pair = field.value.prefix { $0 != ";" }
                if pair.hasPrefix("__Host-session=") { cookie.withLock { $0 = String(pair.dropFirst(15)) } }
            }
            guard response.status == 303, let place = response.fields.first(where: { $0.name == "Location" })?.value
            else { return Markup(String(decoding: response.body, as: UTF8.self)) }
            // The app's own page is not one of these.
            if place == "/" { return Markup("") }
            request = WebRequest("GET", place, fields: fields)
        }
        throw Town.Stuck()
    }
}

/// Reads what a page shows.
enum PageReader {
    static func question(_ page: Markup) -> Question? {
        func says(_ key: String) -> String { ModelTexts.table.text(key, in: .english, ["to": ""]) }
        let kinds = ChallengeScreen.Kind.allCases.filter { says("challenge.\($0.rawValue).title") == page.heading }
        // Two kinds may have one heading, and differ in what they say below.
        let words = Markup.plain(page.text)
        guard let kind = kinds.first(where: { words.contains(says("challenge.\($0.rawValue)")) }) ?? kinds.first else {
            return nil
        }
        var question = Question(kind: kind)
        question.hasPicture = page.text.contains("<svg")
        question.isResent = page.forms.contains { $0.acts.contains("resend") } || page.text.contains("Send again in")
        let form = page.forms.first { $0.acts.contains("answer") }
        let inputs = form?.inputs.filter { ["text", "password"].contains($0.type) } ?? []
        question.fields = inputs.map { input in
            let name = input.name.hasPrefix("field.") ? String(input.name.dropFirst(6)) : input.name
            return .init(name: name, isHidden: input.type == "password")
        }
        question.rules = page.all(/<p class="hint" id="[^"]*">(.*?)<\/p>/).flatMap {
            $0.split(separator: "<br>").map(String.init)
        }
        question.sentTo = page.first(/<p>[^<]* to (\S+@\S+?)<\/p>/)
        switch kind {
        case .enrolment:
            question.shown = page.all(/<code id="key">(.*?)<\/code>/).map { $0.filter { $0 != " " } }
        case .device:
            question.shown = page.all(/<dd>([^<]*)<\/dd>/) + page.all(/<code id="user-code">(.*?)<\/code>/)
        case .choose: question.shown = page.all(/<label for="choice-\d+">(.*?)<\/label>/)
        case .visit: question.shown = page.all(/<a class="button"[^>]*href="([^"]*)"/)
        default: break
        }
        return question
    }
}
