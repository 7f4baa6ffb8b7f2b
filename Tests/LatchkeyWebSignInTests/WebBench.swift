import Foundation
import Latchkey
import LatchkeyModel
import LatchkeyTesting
import TaskSettling
import Testing

@testable import LatchkeySystem
@testable import LatchkeyWebSignIn

/// Sign-in pages over a scripted service and one store, with a clock that stands still.
final class WebBench: Sendable {
    static let origin = "https://notes.example.com"

    let clock = ManualClock()
    let service: ScriptedProvider
    let store: TroubledStore
    let unlock: ScriptedUnlock
    let web: WebSignIn

    init(
        over store: TroubledStore? = nil, service: ScriptedProvider? = nil, policy: UnlockPolicy? = nil,
        options change: (inout WebSignInOptions) -> Void = { _ in }
    ) {
        let context = PluginContext.testing(clock: clock, seed: store == nil ? 1 : 2)
        let provider = service ?? ScriptedProvider()
        self.service = provider
        self.store = store ?? TroubledStore(MemoryStore(context: context))
        let unlock = ScriptedUnlock(clock: clock)
        self.unlock = unlock
        var options = WebSignInOptions(name: "Notes", origin: Self.origin)
        options.model.methods = [.password, .browser]
        change(&options)
        web = Self.pages(over: self.store, options, provider, policy.map { (unlock, $0) }, context)
    }

    /// Returns pages over a scripted service.
    static func pages<Store: SessionStore>(
        over store: Store, _ options: WebSignInOptions, _ provider: ScriptedProvider,
        _ lock: (unlock: ScriptedUnlock, policy: UnlockPolicy)?, _ context: PluginContext
    ) -> WebSignIn {
        WebSignIn(store: store, options: options, context: context) { store, proof in
            var settings = EngineSettings()
            settings.refresh = .onDemand
            (settings.requestDeadline, settings.challengeLifetime) = (.seconds(86_400 * 400), .seconds(86_400 * 400))
            let builder = AuthClient.Builder().provider(provider).store(store).transport(ScriptedTransport())
                .context(context).settings(settings)
            guard let lock else { return try builder.build() }
            return try builder.unlock(TypedUnlock(lock.unlock, proof), reason: "Show your notes", policy: lock.policy)
                .build()
        }
    }

    /// A challenge of the service.
    func asked(_ ask: Ask, _ name: String = "challenge-of-sixteen") -> ScriptedProvider.TurnStep {
        .turn(.asked(Challenge(id: name, binding: service.rules.binding, ask: ask)))
    }

    /// Signs `subject` in, in a new browser.
    func signedIn(_ subject: String = "alice") async throws -> TestBrowser {
        var browser = TestBrowser(web)
        try await browser.open("/auth/sign-in")
        service.script(turns: .granted(to: subject))
        try await browser.submit(
            "/auth/sign-in", ["identifier": "\(subject)@example.com", "password": "correct horse"])
        #expect(browser.path == "/")
        return browser
    }

    /// Moves the clock until `condition` holds, with the tasks that go on in between.
    func advance(by step: Duration, until condition: () async -> Bool) async throws {
        for _ in 0..<200 {
            if await settleTasks(until: condition) { return }
            clock.advance(by: step)
        }
        throw Stuck()
    }

    struct Stuck: Error {}
}

/// A store that can be made to fail whatever it is asked, as a locked one does.
final class TroubledStore: CrossProcessStore, WatchableStore {
    private let inner: MemoryStore
    private let trouble = Locked<(error: AuthError?, commitsOnly: Bool)>((nil, false))

    init(_ inner: MemoryStore) { self.inner = inner }

    /// Fails from now on; `nil` ends that.
    func fail(_ error: AuthError?, commitsOnly: Bool = false) { trouble.withLock { $0 = (error, commitsOnly) } }

    private func check(isCommit: Bool = false) throws {
        if let error = trouble.withLock({ $0.commitsOnly && !isCommit ? nil : $0.error }) { throw error }
    }

    func read(_ key: StoreKey) throws -> StoredRecord? {
        try check()
        return try inner.read(key)
    }

    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) throws -> RecordVersion? {
        try check(isCommit: true)
        return try inner.replace(key, at: version, with: bytes)
    }

    func keys(_ kind: StoreKey.Kind) throws -> [StoreKey] {
        try check()
        return inner.keys(kind)
    }

    func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        try check()
        return try await inner.lock(key, deadline: deadline)
    }

    func changes() -> AsyncStream<StoreKey> { inner.changes() }
}

/// An authenticator that is right about "1234".
struct TypedUnlock: UnlockAuthenticator {
    let script: ScriptedUnlock
    let proof: TypedProof

    init(_ script: ScriptedUnlock, _ proof: TypedProof) { (self.script, self.proof) = (script, proof) }

    func availability() async -> UnlockAvailability { script.availability() }

    func unlock(_ prompt: UnlockPrompt) async throws -> UnlockGrant {
        guard let typed = proof.next() else { throw AuthError(.declined, "nothing was typed") }
        guard typed.revealText() == "1234" else { throw AuthError(.refused(.wrongInput), "wrong") }
        return try await script.unlock(prompt)
    }
}

/// A browser: it keeps cookies, follows redirects, and sends a page's forms with what is hidden in them.
struct TestBrowser: Sendable {
    let web: WebSignIn
    var cookies: [String: String] = [:]
    var language: String?
    /// Where it is, and what it shows.
    private(set) var path = ""
    private(set) var status = 0
    private(set) var text = ""
    /// Every answer since it was made, with its fields, for tests that look for something in all of them.
    private(set) var seen: [WebResponse] = []

    init(_ web: WebSignIn) { self.web = web }

    var session: String { cookies["__Host-session"] ?? "" }

    var title: String { text.components(between: "<title>", and: "</title>").first ?? "" }

    /// What is read out at once.
    var alert: String { text.components(between: "role=\"alert\"", and: "</div>").first ?? "" }

    mutating func open(_ path: String) async throws { try await go(WebRequest("GET", path)) }

    /// Sends the form of the page that goes to `action`, the one that has the button `button` if several do.
    mutating func submit(_ action: String, button: String? = nil, _ fields: [String: String] = [:]) async throws {
        try await go(try form(action, button: button, fields))
    }

    /// What the browser would send.
    func form(_ action: String, button: String? = nil, _ fields: [String: String] = [:]) throws -> WebRequest {
        let forms = text.components(between: "<form method=\"post\" action=\"\(action)\"", and: "</form>")
        let found = forms.first { form in button.map { form.contains("value=\"\($0)\"") } ?? true }
        let form = try #require(found, "no form for \(action) with \(button ?? "any button") on \(path)")
        var pairs = form.components(between: "<input type=\"hidden\" name=\"", and: ">").map { field in
            let parts = field.components(separatedBy: "\" value=\"")
            return (parts[0], String(parts[1].dropLast()))
        }
        if let button { pairs.append(("do", button)) }
        pairs += fields.map { ($0.key, $0.value) }
        return post(action, pairs)
    }

    func post(_ path: String, _ pairs: [(String, String)]) -> WebRequest {
        let body = pairs.map { "\($0.0)=\(FormText.encode($0.1))" }.joined(separator: "&")
        return WebRequest(
            "POST", path,
            fields: [
                ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", WebBench.origin),
                ("Sec-Fetch-Site", "same-origin"),
            ], body: Array(body.utf8))
    }

    /// Sends `request` with this browser's cookies, and follows where it leads.
    mutating func go(_ request: WebRequest) async throws {
        var next: WebRequest? = request
        for _ in 0..<6 {
            guard let request = next else { return }
            path = request.target
            let response = await send(request)
            take(response)
            next = response.fields.first { $0.name == "Location" }.map { WebRequest("GET", $0.value) }
        }
        throw WebBench.Stuck()
    }

    /// Sends `request` with this browser's cookies, and returns the answer.
    func send(_ request: WebRequest) async -> WebResponse {
        var request = request
        if !cookies.isEmpty {
            request.fields.append(("Cookie", cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")))
        }
        if let language { request.fields.append(("Accept-Language", language)) }
        guard !request.path.hasPrefix("/auth/") else { return await web.respond(to: request) }
        return await web.respond(to: request) { person in
            web.page("Notes", for: person, content: "<p id=\"person\">\(WebHTML.text(person.account.label ?? ""))</p>")
        }
    }

    private mutating func take(_ response: WebResponse) {
        (status, text) = (response.status, String(decoding: response.body, as: UTF8.self))
        seen.append(response)
        for field in response.fields where field.name == "Set-Cookie" {
            let pair = field.value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            cookies[pair[0]] = field.value.contains("Max-Age=0;") ? nil : pair[1]
        }
    }
}

extension String {
    /// The texts between each `start` and the next `end`.
    func components(between start: String, and end: String) -> [String] {
        components(separatedBy: start).dropFirst().map { $0.components(separatedBy: end)[0] }
    }
}
