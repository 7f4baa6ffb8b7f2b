public import Latchkey

/// A presenter, and those who act on what it shows: what ``PresenterContract`` needs to look at it from outside.
public struct PresenterStage: Sendable {
    /// What a person does.
    public enum Act: Sendable {
        /// Gives this answer.
        case answers(Answer)
        /// Says no.
        case declines
    }

    /// What a browser does with the page that a presenter serves on this machine.
    public struct Visit: Sendable {
        /// The address of the page, `http://127.0.0.1:PORT/…`.
        public var page: String
        /// The request that the browser sends for the act.
        public var reply: TransportRequest
        /// The texts in `reply` without which it may not be taken, such as a token in the path or in a hidden field of the
        /// form.
        public var proofs: [String]

        /// Creates what a browser does.
        public init(page: String, reply: TransportRequest, proofs: [String]) {
            self.page = page
            self.reply = reply
            self.proofs = proofs
        }
    }

    enum Hand: Sendable {
        case person(@Sendable (Challenge, Act) async throws -> Bool)
        case browser(@Sendable (Challenge, Act) async throws -> Visit?)
    }

    let presenter: any ChallengePresenter
    let hand: Hand
    /// How many questions a person can see or reach now, looked at from outside; `nil` if that cannot be told.
    public var showing: (@Sendable () async throws -> Int)?
    /// Everything that the presenter has written so far: to a terminal, to a log.
    public var written: (@Sendable () async -> [String])?
    /// Whether the presenter can ask several questions at once.
    public var asksAtOnce = false
    /// Ends what outlasts a question on purpose, such as the address of a redirect.
    public var end: @Sendable () async -> Void = {}

    /// Creates a stage for a presenter of any kind.
    ///
    /// - Parameters:
    ///   - presenter: The presenter.
    ///   - person: Does the act as a person would, once the challenge is shown, and returns whether it was taken. For a
    ///     challenge that was asked before and is not shown now, it does what a late person would, without waiting.
    public init(
        _ presenter: any ChallengePresenter, person: @escaping @Sendable (Challenge, Act) async throws -> Bool
    ) {
        self.presenter = presenter
        hand = .person(person)
    }

    /// Creates a stage for a presenter that serves a page on this machine.
    ///
    /// - Parameters:
    ///   - presenter: The presenter.
    ///   - browser: Waits until the challenge is shown, opens its page as a browser would, with ``LocalClient`` say, and
    ///     returns what the browser would send for the act; `nil` if a person cannot do that there. The contract sends it,
    ///     and what strangers would send.
    public init(
        _ presenter: any ChallengePresenter, browser: @escaping @Sendable (Challenge, Act) async throws -> Visit?
    ) {
        self.presenter = presenter
        hand = .browser(browser)
    }
}

extension PresenterStage {
    /// Does the act once the challenge is shown. Returns whether it was taken; `nil` if it cannot be done.
    func act(_ act: Act, on challenge: Challenge) async throws -> Bool? {
        switch hand {
        case .person(let person): return try await person(challenge, act)
        case .browser(let browser):
            guard let visit = try await browser(challenge, act) else { return nil }
            return await Self.isTaken(visit.reply)
        }
    }

    /// What a browser would send; `nil` without one.
    func visit(_ act: Act, on challenge: Challenge) async throws -> Visit? {
        guard case .browser(let browser) = hand else { return nil }
        return try await browser(challenge, act)
    }

    /// Sends a request, and returns whether the presenter says that it took it.
    static func isTaken(_ request: TransportRequest) async -> Bool {
        guard let answer = try? await LocalClient.send(request) else { return false }
        return answer.status < 400
    }
}

extension PresenterStage.Visit {
    /// The same with other texts in place of some.
    func replacing(_ texts: [(String, with: String)]) -> TransportRequest {
        var request = reply
        for (text, other) in texts where !text.isEmpty {
            request.url = request.url.replacing(text, with: other)
            request.fields = HeaderFields(
                request.fields.lines.map { ($0.name, $0.value.replacing(text, with: other)) })
            request.body = request.body.map {
                Array(String(decoding: $0, as: UTF8.self).replacing(text, with: other).utf8)
            }
        }
        return request
    }

    /// The same request, sent to the place of another page.
    func at(_ page: String) -> TransportRequest {
        guard let own = WebAddress(reply.url), let other = WebAddress(page) else { return reply }
        var request = reply
        request.url = other.origin + reply.url.dropFirst(own.origin.count)
        request.fields = HeaderFields(
            request.fields.lines.map { ($0.name, $0.value.replacing(own.origin, with: other.origin)) })
        return request
    }
}
