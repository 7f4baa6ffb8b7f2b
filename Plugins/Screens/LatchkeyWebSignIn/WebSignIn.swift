public import Latchkey
import LatchkeyCrypto
import LatchkeySystem
import LatchkeyModel
import LatchkeyOAuthCore
import LatchkeyPartitionedStore

/// Sign-in pages for a web server: give it every request below its path, and ask it who sends the others.
///
/// ```swift
/// let web = WebSignIn(store: store, options: options) { store, _ in
///     try AuthClient.Builder().provider(provider).store(store).transport(.curl()).build()
/// }
/// let answer = await web.respond(to: request)                    // /auth/…
/// let page = await web.respond(to: request) { person in … }      // everything else
/// ```
///
/// Each browser has a client of its own, over a part of the one store. `Documentation/Servers/WebSignIn.md` says what holds.
public final class WebSignIn: Sendable {
    let options: WebSignInOptions
    let context: PluginContext
    let records: VisitorRecords
    let hub: VisitorHub
    let repeats: RepeatedForms
    let sizeInStore: @Sendable (String) async throws -> Int?
    private let sweep = Locked<StoreSweep?>(nil)
    private let key = Locked<ServerKey?>(nil)

    /// Creates the pages. Reads and sends nothing.
    ///
    /// - Parameters:
    ///   - store: The store of all browsers together. Nothing else may use it.
    ///   - options: What the app decides.
    ///   - context: Time, randomness and tasks; give the clients the same.
    ///   - client: Builds the client of one browser over its part of the store. If the client has an unlock, its
    ///     authenticator takes what the person types on the lock screen from ``TypedProof/next()``.
    public init<Store: SessionStore>(
        store: Store, options: WebSignInOptions, context: PluginContext = .system,
        client: @escaping @Sendable (any SessionStore, TypedProof) throws -> AuthClient
    ) {
        var options = options
        // A page without a script cannot reach either.
        options.model.methods =
            options.model.methods ?? [.password, .code, .link, .browser, .enterprise, .device, .custom, .anonymous]
        self.options = options
        self.context = context
        let partitions = PartitionedStore(store, context: context)
        let records = VisitorRecords(store: store, context: context)
        self.records = records
        hub = VisitorHub(
            options, context: context, partition: { partitions.partition($0) },
            erase: { try await partitions.erase($0) }, eraseIdle: { try await partitions.erase($0, if: Self.isIdle) },
            isKept: { try await records.visitor($0) != nil }, isStored: { try await partitions.size(of: $0) != nil },
            build: client)
        repeats = RepeatedForms(context)
        sizeInStore = { try await partitions.size(of: $0) }
        let sweeping = WebSweeping(
            records: records, limits: options.limits, guests: options.guests,
            partitions: { try await partitions.names() },
            end: { [weak self] in try await self?.end($0, $1, waiting: true) },
            forget: { try await records.forget($0) },
            isIdle: { try await partitions.partition($0).keys(.credential).isEmpty },
            erase: { try await partitions.erase($0, if: Self.isIdle) },
            signOut: { [weak self] in try await self?.signOut(of: $0) })
        sweep.withLock { $0 = StoreSweep(sweeping, every: options.limits.guest, context: context) }
    }

    /// Closes every client after what is under way. Call it before the program ends.
    public func finish() async { await hub.end() }

    /// The number of browsers whose clients are in memory.
    public var openVisitors: Int { get async { await hub.count } }

    /// Cleans the store up.
    func sweeping() -> StoreSweep? { sweep.withLock { $0 } }

    /// Whether no session is in a browser's part of the store, and no sign-out that a service has to be told of.
    private static func isIdle(_ keys: Set<StoreKey>) -> Bool {
        !keys.contains { $0.kind == .credential }
    }

    func serverKey() async throws -> ServerKey {
        if let known = key.withLock({ $0 }) { return known }
        let made = try await records.serverKey()
        key.withLock { $0 = made }
        return made
    }
}

/// A person who is signed in, as the app's own pages need to know them.
public struct WebPerson: Sendable {
    /// The client of this person's browser. Use it while the request is answered, and no longer.
    public let client: AuthClient
    /// The account.
    public let account: Account
    /// The language to answer in.
    public let language: TextLanguage
    /// What a form of the app's own page was filled in with, by name; empty for other requests.
    public let form: [String: Secret]
    /// The token for a hidden field called ``WebSignIn/tokenField`` in each of the app's own forms.
    public let formToken: String
}

extension WebSignIn {
    /// The name of the hidden field with ``WebPerson/formToken``.
    public static let tokenField = "token"

    /// Answers one request for a page below ``WebSignInOptions/path``. Never throws: what goes wrong is a page too.
    public func respond(to request: WebRequest) async -> WebResponse {
        if let refusal = Self.refusal(of: request) { return page(refusal, request) }
        sweeping()?.wake()
        guard let route = WebRoute(request.path, below: options.path) else {
            return page(MessagePage.notFound, request)
        }
        if route == .style { return StyleSheet.response(to: request) }
        switch request.method {
        case "GET", "HEAD":
            guard let query = request.query else { return page(MessagePage.malformed, request) }
            return await answering(request) { await self.show(route, request, query) }
        case "POST" where route.takesForms:
            guard let form = request.form else { return page(MessagePage.malformed, request) }
            return await repeats.answer(Self.digest(request, options.cookie)) {
                await self.answering(request) { await self.take(form, at: route, request) }
            }
        default: return page(MessagePage.method(route), request)
        }
    }

    /// Answers one request for a page of the app: by `page` if a person is signed in, otherwise by leading to the
    /// sign-in, and back here afterwards. A form (any method but `GET` and `HEAD`) that no page of this server has
    /// sent is refused.
    public func respond(
        to request: WebRequest, page body: @Sendable (WebPerson) async -> WebResponse
    ) async -> WebResponse {
        if let refusal = Self.refusal(of: request) { return page(refusal, request) }
        sweeping()?.wake()
        return await answering(request) { await self.respond(request, body) }
    }

    /// Returns a page of the app in the frame of the sign-in pages, with their fields of security.
    ///
    /// - Parameters:
    ///   - title: The heading, as text.
    ///   - state: What the title in the browser's bar says before the heading, such as that there was
    ///     an error.
    ///   - person: Whose page it is, as ``respond(to:page:)`` gave them.
    ///   - content: HTML. Pass what others wrote through ``WebHTML/text(_:)``.
    public func page(_ title: String, state: String? = nil, for person: WebPerson, content: String) -> WebResponse {
        let frame = PageFrame(options, person.language, token: person.formToken)
        return .page(frame.page(title, state: state, here: nil, content))
    }

    private func respond(
        _ request: WebRequest, _ body: @Sendable (WebPerson) async -> WebResponse
    ) async -> Result<WebResponse, AuthError> {
        await result {
            let holder = try await self.holder(of: request)
            guard case .session(let id, let record) = holder.state else {
                return self.leading(to: .signIn, from: request)
            }
            var form: [String: Secret] = [:]
            if !["GET", "HEAD"].contains(request.method) {
                let sent = request.form
                guard self.isOwnForm(sent, request, holder) else { return self.page(.foreignForm, request) }
                for pair in sent?.pairs ?? [] { form[pair.name] = Secret(pair.value) }
            }
            return try await self.hub.with(id, asGuest: false) { [form] visitor in
                let accounts: [Account]
                do throws(AuthError) { accounts = try await visitor.client.accounts() } catch {
                    guard error.code == .locked else { throw error }
                    accounts = []
                }
                if visitor.client.isLocked { return self.leading(to: .locked, from: request) }
                guard let account = accounts.first(where: { record.accounts.contains($0.id.value) }),
                    account.isUsable
                else { return self.leading(to: .signIn, from: request) }
                let person = WebPerson(
                    client: visitor.client, account: account, language: self.language(of: request),
                    form: form, formToken: holder.token)
                return await body(person)
            }
        }
    }

    /// Leads to a page of this product, and back to what was asked for.
    private func leading(to route: WebRoute, from request: WebRequest) -> WebResponse {
        let place = request.method == "GET" ? LocalPath(request.target) : nil
        let query = place.map { "?return=\(FormText.encode($0.text))" } ?? ""
        return .redirect(to: "\(options.path)/\(route.rawValue)\(query)")
    }
}

extension Account {
    /// Whether the person need not sign in before the account can be used.
    var isUsable: Bool {
        switch state {
        case .signInRequired, .signedOut: false
        default: true
        }
    }
}
