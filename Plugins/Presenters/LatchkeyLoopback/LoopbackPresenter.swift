public import Latchkey
import LatchkeyLocked

/// Signs a person in over their own browser: listens on 127.0.0.1, opens the browser, and takes the one redirect
/// that comes back (RFC 8252, section 7.3).
///
/// A link that was sent may be opened on this machine too: it ends at the same address, while `otherwise` asks for it.
///
/// Whatever else knocks is answered and forgotten: other paths, methods, host names, images of web pages. Where no
/// browser starts, the address is announced and the wait goes on; a person on another machine pastes the address at
/// which their browser arrived, if `paste` is given. Listening ends with the first redirect, with cancellation, and
/// with ``closeRedirect()``.
public final class LoopbackPresenter: RedirectReceiving {
    /// How the presenter listens and waits.
    public struct Options: Sendable {
        /// The port; 0 for any free one, which services must allow for loopback redirects (RFC 8252, section 7.3).
        public var port: UInt16 = 0
        /// The path of the redirect.
        public var path = "/callback"
        /// Whether a browser is started. `false` only announces the address.
        public var opensBrowser = true
        /// How long to wait for the person, at most; the challenge may end earlier.
        public var patience = Duration.seconds(900)

        /// The defaults: a free port, `/callback`, a browser, 15 minutes.
        public init() {}
    }

    private let options: Options
    private let paste: (@Sendable () async throws -> Secret)?
    private let otherwise: (any ChallengePresenter)?
    private let announce: @Sendable (String) -> Void
    private let context: PluginContext
    private let browser: Browser
    private let listener = Locked<LoopbackListener?>(nil)

    /// A presenter that listens once it is asked to.
    ///
    /// - Parameters:
    ///   - paste: Asks the person for the address at which the browser arrived; cancelled when the redirect comes by
    ///     itself. When it throws `declined` or `cancelled` the sign-in ends, other errors only end the asking.
    ///   - otherwise: Answers every challenge that is not a visit, and a link that was sent unless it is opened here.
    ///   - announce: Shows the address when no browser was started; the terminal, or standard error, by default.
    public convenience init(
        _ options: Options = Options(), paste: (@Sendable () async throws -> Secret)? = nil,
        otherwise: (any ChallengePresenter)? = nil, announce: (@Sendable (_ url: String) -> Void)? = nil,
        context: PluginContext = .system
    ) {
        self.init(
            options, paste: paste, otherwise: otherwise, announce: announce ?? Announcement.print, context: context,
            browser: .system)
    }

    init(
        _ options: Options, paste: (@Sendable () async throws -> Secret)?, otherwise: (any ChallengePresenter)?,
        announce: @escaping @Sendable (String) -> Void, context: PluginContext, browser: Browser
    ) {
        self.options = options
        self.paste = paste
        self.otherwise = otherwise
        self.announce = announce
        self.context = context
        self.browser = browser
    }

    /// Listens from here on.
    ///
    /// - Throws: ``Latchkey/AuthError`` `configuration(.invalid)` when the port is taken, or an address is open already.
    public func openRedirect() async throws -> String {
        let opened = try LoopbackListener(port: options.port, path: options.path)
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

    /// Frees the port.
    public func closeRedirect() async {
        let closing = listener.withLock { listener in
            defer { listener = nil }
            return listener
        }
        closing?.close()
    }

    /// Sends the person to the service and waits for the way back; other challenges go to `otherwise`.
    public func answer(_ challenge: Challenge) async throws -> Answer {
        if case .openedLink = challenge.ask, let listener = listener.withLock({ $0 }) {
            return try await firstAnswer(at: listener) { [otherwise] in
                do {
                    return try await otherwise?.answer(challenge)
                } catch let error as AuthError where error.code == .configuration(.unsupported) {
                    // Nobody can be asked here; the link may be opened all the same.
                    return nil
                }
            }
        }
        guard case .visit(let url, let redirect) = challenge.ask else {
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
        show(url)
        guard let paste else { return try await firstAnswer(at: listener, or: nil) }
        return try await firstAnswer(at: listener) { try await Self.pasted(paste, for: redirect) }
    }

    private func show(_ url: String) {
        let announce = announce
        guard options.opensBrowser, browser.open(url, failed: { announce(url) }) else { return announce(url) }
    }

    private func firstAnswer(
        at listener: LoopbackListener, or asked: (@Sendable () async throws -> Answer?)?
    ) async throws -> Answer {
        defer { if Task.isCancelled { listener.close() } }
        return try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask { .redirected(try await listener.arrival.wait()) }
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

    /// What the person pasted, once it is an address of the redirect; `nil` when they cannot be asked, or paste
    /// something else three times.
    private static func pasted(_ paste: @Sendable () async throws -> Secret, for redirect: String) async throws
        -> Answer?
    {
        for _ in 0..<3 {
            do {
                let pasted = try await paste()
                if isRedirect(pasted, of: redirect) { return .redirected(pasted) }
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

    private static func isRedirect(_ pasted: Secret, of redirect: String) -> Bool {
        guard pasted.count <= redirect.utf8.count + 1 + LoopbackListener.queryCap,
            let address = WebAddress(pasted.revealText()), let own = WebAddress(redirect)
        else { return false }
        return address.origin == own.origin && address.path == own.path && address.query?.isEmpty == false
    }
}
