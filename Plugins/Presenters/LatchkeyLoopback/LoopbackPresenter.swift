public import Latchkey
import LatchkeyHTTPServer
import LatchkeySystem

/// Signs a person in with their own browser: listens on loopback, opens the browser, and accepts the one redirect
/// that comes back (RFC 8252, section 7.3).
///
/// A link from a mail may be opened on this machine too. It ends at the same address, while `otherwise` asks for
/// it.
///
/// The browser is started with an address of the listener, which redirects it to the service. This is because every
/// user of the machine can read the arguments of a program, and the service's address is enough to take part in the
/// sign-in. On Linux, a browser of another user than this one and root reads that it is not answered, and nothing of the
/// sign-in.
///
/// All other requests are refused, and the wait continues: other paths, methods or host names, frames and images of
/// web pages, a redirect with another `state` than the visit's. If a visit has no `state`,
/// ``Options/usesRandomPath`` keeps forged redirects out. With neither, a redirect that the service refuses does
/// not end the wait.
///
/// The presenter tells the person what opens and where, and that it waits (``BrowserVisit``); if no browser starts, the
/// person opens the address. The page that the browser comes back to says how the sign-in ended, and who is signed
/// in; until then, the browser waits. With `paste`, a person on
/// another machine can paste the address at which their browser arrived. Listening ends with the sign-in, with
/// cancellation, and with ``closeRedirect()``.
public final class LoopbackPresenter: RedirectReceiving {
    /// The options for listening and waiting.
    public struct Options: Sendable {
        /// The app's name, as people know it, for the page that the browser comes back to. At most 100 characters
        /// of it are shown.
        public var appName: String?
        /// The host of the redirect. Choose another than 127.0.0.1 only for a service that does not take that one.
        public var host = LoopbackHost.ipv4
        /// The port; 0 for any free one. Services must accept any port of a loopback redirect (RFC 8252, section
        /// 7.3).
        public var port: UInt16 = 0
        /// The path of the redirect; it may be empty.
        public var path = "/callback"
        /// Whether to add a random segment to the path, `/callback/7f3a…`, so that other programs cannot forge a
        /// redirect.
        ///
        /// Use it for services that return no `state` and accept such an address, as Supabase does. A service that
        /// compares the whole redirect with a list would refuse it, so it is off by default.
        public var usesRandomPath = false
        /// Whether everything that a person's browser brings to the redirect is an answer, also nothing behind the address.
        ///
        /// Use it for services that return no `state`, compare the redirect with a list, and end some visits by returning
        /// alone, as Clerk does. Any web page can send a browser here then, so the provider must believe only what the
        /// service itself says about the visit.
        public var takesBareRedirects = false
        /// Whether to start a browser. If not, the presenter only announces the address.
        public var opensBrowser = true
        /// Whether to give up the protection against other users of this machine, for setups in which it cannot
        /// work.
        ///
        /// The browser is then started with the service's own address. Every user can read that in the list of
        /// processes and take part in the sign-in: you could end up signed in as another person, or with another's
        /// identity linked. Connections of unknown owners are accepted, such as those through a container's mapped
        /// port. Connections of other users still are not.
        public var exposesServiceAddress = false
        /// The longest wait for the person. The challenge may end earlier.
        public var patience = Duration.seconds(900)

        /// Creates the default options: a free port, the path `/callback`, the listener's address for the browser,
        /// 15 minutes.
        public init() {}

        /// Creates the default options for a redirect that is registered as `redirect`.
        public init(redirect: LoopbackRedirect) {
            (host, port, path) = (redirect.host, redirect.port ?? 0, redirect.path)
        }
    }

    /// Asks for the address at which the browser arrived. Its argument is `nil` at first, then a sentence that says
    /// what is wrong with what was pasted.
    public typealias Paste = @Sendable (_ wrong: String?) async throws -> Secret

    private let options: Options
    private let paste: Paste?
    private let otherwise: (any ChallengePresenter)?
    private let announce: @Sendable (BrowserVisit) async -> Void
    private let stray: @Sendable (StrayRedirect) async -> Void
    private let context: PluginContext
    private let browser: Browser
    private let owner: @Sendable (ConnectionEnds) -> ConnectionOwner
    private let listener = Locked<LoopbackListener?>(nil)

    /// Creates a presenter. It does not listen before it is asked to.
    ///
    /// - Parameters:
    ///   - options: How to listen and how long to wait.
    ///   - paste: Asks the person for the address at which the browser arrived. It is called after
    ///     `announce` has returned; again, with a sentence that says what is wrong, if something else
    ///     was pasted, up to eight times. It is cancelled when the redirect comes by itself. If it
    ///     throws `declined` or `cancelled`, the sign-in ends; after other errors the wait continues.
    ///   - otherwise: Answers every challenge that is not a visit, and a link from a mail unless it is
    ///     opened here.
    ///   - announce: Tells the person what opens and where; by default on the terminal or standard
    ///     error. It is cancelled when the redirect comes first.
    ///   - stray: Tells the person that a browser came back with something else than the answer, or was not listened
    ///     to, and that the wait goes on; by default as `announce` does. Called at once, and once for each kind.
    ///   - context: Time and randomness. Default: the system.
    public convenience init(
        _ options: Options = Options(), paste: Paste? = nil, otherwise: (any ChallengePresenter)? = nil,
        announce: (@Sendable (BrowserVisit) async -> Void)? = nil,
        stray: (@Sendable (StrayRedirect) async -> Void)? = nil, context: PluginContext = .system
    ) {
        self.init(
            options, paste: paste, otherwise: otherwise, announce: announce ?? Announcement.print,
            stray: stray ?? Announcement.print, context: context, browser: .system)
    }

    init(
        _ options: Options, paste: Paste?, otherwise: (any ChallengePresenter)?,
        announce: @escaping @Sendable (BrowserVisit) async -> Void,
        stray: @escaping @Sendable (StrayRedirect) async -> Void = { _ in }, context: PluginContext, browser: Browser,
        owner: @escaping @Sendable (ConnectionEnds) -> ConnectionOwner = ConnectionOwner.system
    ) {
        self.options = options
        self.paste = paste
        self.otherwise = otherwise
        self.announce = announce
        self.stray = stray
        self.context = context
        self.browser = browser
        self.owner = owner
    }

    /// Starts to listen.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)` when the port is taken, or the presenter listens
    ///   already.
    public func openRedirect() async throws -> String {
        var place = LoopbackRedirect(
            host: options.host, port: options.port == 0 ? nil : options.port, path: options.path)
        if options.usesRandomPath { place.path += "\(place.path.last == "/" ? "" : "/")\(context.randomName())" }
        let opened = try LoopbackListener(
            at: place, app: options.appName, context: context, trust: trust, canPaste: paste != nil
        ) { [stray, context] kind in context.start("tell of a redirect") { await stray(kind) } }
        let isFirst = listener.withLock { listener in
            guard listener == nil else { return false }
            listener = opened
            return true
        }
        guard isFirst else {
            opened.close()
            throw AuthError(.configuration(.invalid), "The presenter is busy with another sign-in.")
        }
        return opened.redirect
    }

    /// Stops listening, and frees the port. Waits for a page that is being sent, two seconds at most.
    public func closeRedirect() async {
        let closing = listener.withLock { listener in
            defer { listener = nil }
            return listener
        }
        guard let closing else { return }
        // In a task of its own, so that a person who stops the sign-in still reads that it was stopped.
        await withCheckedContinuation { continuation in
            context.start("close loopback") {
                await closing.finish()
                continuation.resume()
            }
        }
    }

    /// Sends the person to the service and waits for the redirect. Passes other challenges to `otherwise`.
    public func answer(_ challenge: Challenge) async throws -> Answer {
        if case .openedLink = challenge.ask, let listener = listener.withLock({ $0 }) {
            _ = listener.inbox.open(visit(nil, listener.redirect))
            return try await firstAnswer(at: listener) { [otherwise] in
                do {
                    return try await otherwise?.answer(challenge)
                } catch let error as AuthError where error.code == .configuration(.unsupported) {
                    // The person cannot be asked here, but may still open the link.
                    return nil
                }
            }
        }
        guard case .visit(let url, let redirect) = challenge.ask else {
            // The person is asked in the app now, and the browser's page says so.
            listener.withLock { $0 }?.inbox.settle(.goesOn)
            guard let otherwise else {
                throw AuthError(.configuration(.unsupported), "A browser cannot answer this kind of challenge.")
            }
            return try await otherwise.answer(challenge)
        }
        guard let listener = listener.withLock({ $0 }), listener.redirect == redirect else {
            throw AuthError(.configuration(.invalid), "The visit does not end at the address that is open for it.")
        }
        guard let address = WebAddress(url), ["https", "http"].contains(address.scheme),
            url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw AuthError(.configuration(.invalid), "The address to visit is not a web address.") }
        // The second time, the visit continues: the browser is open, so wait for the next redirect.
        var visit: BrowserVisit?
        let expected = self.visit(url, redirect)
        if listener.inbox.open(expected) { visit = open(url, start: listener.start, redirect) }
        return try await firstAnswer(at: listener) { [announce, paste, visit] in
            if let visit { await announce(visit) }
            guard let paste else { return nil }
            return try await Self.pasted(paste, for: redirect, of: expected, at: url)
        }
    }

    /// Returns whether another redirect may come, because the refused one proved nothing and may have been forged.
    public func goesOnWaiting(for challenge: Challenge) async -> Bool {
        guard let inbox = listener.withLock({ $0 })?.inbox, inbox.hasCurrent, inbox.expectsMore else { return false }
        inbox.refuse()
        return true
    }

    /// The address with which the browser is started, for tests.
    var startAddress: String? { listener.withLock { $0 }?.start }

    /// Whether a redirect waits for its turn, for tests.
    var hasMoreRedirects: Bool { listener.withLock { $0 }?.inbox.hasMore ?? false }

    private func visit(_ url: String?, _ redirect: String) -> Visit {
        Visit(
            url, redirect: redirect, hasRandomPath: options.usesRandomPath, takesAny: options.takesBareRedirects)
    }

    private func open(_ url: String, start: String, _ redirect: String) -> BrowserVisit {
        let handed = options.exposesServiceAddress ? url : start
        return BrowserVisit(
            url: url, didStart: options.opensBrowser && browser.open(handed), redirect: redirect)
    }

    /// Why a connection is not listened to.
    private var trust: @Sendable (ConnectionEnds) -> StrayRedirect? {
        #if os(Linux)
            return { [owner, exposes = options.exposesServiceAddress] in
                let owner = owner($0)
                guard !owner.isTrusted(allowingUnknown: exposes) else { return nil }
                return owner == .unknown ? .unknownOwner : .otherUser
            }
        #else
            // This system does not say whose a connection is.
            return { _ in nil }
        #endif
    }

    private func firstAnswer(
        at listener: LoopbackListener, or asked: (@Sendable () async throws -> Answer?)?
    ) async throws -> Answer {
        defer { if Task.isCancelled { listener.close() } }
        return try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask { .redirected(try await listener.inbox.next()) }
            group.addTask { [clock = context.clock, patience = options.patience] in
                try await clock.sleep(until: clock.now() + patience)
                throw AuthError(.refused(.expired), "Nobody came back from the browser in time.")
            }
            if let asked { group.addTask { try await asked() } }
            defer { group.cancelAll() }
            while let answer = try await group.next() { if let answer { return answer } }
            throw CancellationError()
        }
    }

    /// Returns the pasted text once it is an address of the redirect; `nil` if the person cannot be asked, or
    /// pastes something else eight times.
    private static func pasted(
        _ paste: Paste, for redirect: String, of visit: Visit, at url: String
    ) async throws -> Answer? {
        var wrong: String?
        for _ in 0..<8 {
            do {
                let pasted = try await paste(wrong)
                let problem = PasteProblem(pasted, redirect: redirect, visited: url, of: visit)
                guard let problem else { return .redirected(pasted) }
                wrong = problem.text(redirect: redirect)
            } catch let error as AuthError {
                switch error.code {
                case .declined: return .declined
                case .cancelled: throw error
                default: return nil
                }
            } catch {
                try Task.checkCancellation()
                return nil
            }
        }
        return nil
    }
}

extension LoopbackPresenter: RedirectConcluding {
    /// Tells the person in the browser how the sign-in ended, if a browser came back.
    public func conclude(_ end: Result<ConversationEnd, AuthError>) async {
        listener.withLock { $0 }?.inbox.settle(Page(end))
    }
}

extension LoopbackPresenter: RefusalShowing {
    /// Passes the refusal on to the presenter for other challenges, if that one shows refusals.
    public func show(_ refusal: AuthError, of challenge: Challenge) async throws {
        try await (otherwise as? any RefusalShowing)?.show(refusal, of: challenge)
    }
}
