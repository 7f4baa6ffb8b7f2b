public import Latchkey
public import LatchkeyJSON

/// The contract of every ``/Latchkey/ChallengePresenter``.
///
/// | Clause | Checked by |
/// | --- | --- |
/// | what the person answers comes back as it is | `answers`, for each challenge given |
/// | what the person answers never prints | the same |
/// | the person's no is Answer.declined | `declines` |
/// | cancelling the task stops showing, with CancellationError | `waits` |
/// | a challenge it cannot show is configuration(.unsupported) | `cannotShow` |
/// | a redirect's address is absolute and open before the URL is built | `opens`, for ``/Latchkey/RedirectReceiving`` |
/// | the end of a sign-in waits for no browser that never came | `opens`, for ``/Latchkey/RedirectConcluding`` |
///
/// To leave out a situation that you cannot arrange for your presenter, return `nil`.
///
/// With a ``PresenterStage``, the contract acts itself. Then these are checked, too, and for a page on this machine those
/// of strangers:
///
/// | Clause | Checked by |
/// | --- | --- |
/// | cancelling the task stops showing, with CancellationError | before it is shown, and after |
/// | nothing is left of a question that is over | what is shown, and the page, after an answer, a no and a cancelling |
/// | an answer to one question answers no other | a late answer, after an answer and after a cancelling; the same question again |
/// | a question that is asked again wants a new answer | the same challenge, after ``/Latchkey/RefusalShowing`` |
/// | of two answers at once, one is taken, and only that one is told so | an answer and a no |
/// | questions at once get each its own answer | if ``PresenterStage/asksAtOnce`` |
/// | nothing of a question or an answer is printed | the presenter, what it writes, the pages |
/// | only the page itself may bring the answer | no proof, half of it, that of another question, another path, host, origin or method, half a request |
/// | a visitor that says nothing holds up no other | connections without a request, and with half of one |
/// | what a service says is shown as text, and is no part of the page | markup in places and labels |
/// | the page is for this machine alone | another address |
public struct PresenterContract: Sendable {
    /// What the person does.
    public enum Situation: Sendable {
        /// Gives this answer to the challenge.
        case answers(Answer)
        /// Says no.
        case declines
        /// Does nothing.
        case waits
        /// Sees a challenge that the presenter cannot show.
        case cannotShow
        /// Is not asked yet: the presenter opens its redirect's address itself.
        case opens
    }

    let shows: [(ask: Ask, answer: Answer)]
    private let make: @Sendable (Situation, Challenge) async throws -> (any ChallengePresenter)?
    private let stage: (@Sendable (Challenge) async throws -> PresenterStage)?
    private let unsupported: Ask
    let clauses: Clauses

    /// Creates a contract over the presenters that `make` creates.
    ///
    /// - Parameters:
    ///   - shows: What the presenter can show, each with an answer that a person may give; at least
    ///     one.
    ///   - unsupported: What it cannot show.
    ///   - timeLimit: How long a clause may take, in real time. A clause that takes longer is broken
    ///     and left behind.
    ///   - make: Creates what is tested. It is called once for each clause.
    public init(
        shows: [(ask: Ask, answer: Answer)], unsupported: Ask = .passkey(request: .null),
        timeLimit: Duration = ClauseLimit.standard,
        _ make: @escaping @Sendable (Situation, Challenge) async throws -> (any ChallengePresenter)?
    ) {
        self.shows = shows
        self.unsupported = unsupported
        self.make = make
        stage = nil
        clauses = Clauses(contract: "PresenterContract", limit: timeLimit)
    }

    /// Creates a contract over the presenters that `staging` creates, on which it acts itself.
    ///
    /// - Parameters:
    ///   - shows: What the presenter can show, each with an answer that a person may give; at least
    ///     one.
    ///   - unsupported: What it cannot show.
    ///   - timeLimit: How long a clause may take, in real time. A clause that takes longer is broken
    ///     and left behind.
    ///   - staging: Creates what is tested. It is called once or a few times for each clause, with the first challenge
    ///     that will be asked.
    public init(
        shows: [(ask: Ask, answer: Answer)], unsupported: Ask = .passkey(request: .null),
        timeLimit: Duration = ClauseLimit.standard,
        staging: @escaping @Sendable (Challenge) async throws -> PresenterStage
    ) {
        self.shows = shows
        self.unsupported = unsupported
        make = { situation, challenge in
            if case .cannotShow = situation { return try await staging(challenge).presenter }
            return nil
        }
        stage = staging
        clauses = Clauses(contract: "PresenterContract", limit: timeLimit)
    }

    /// Checks every clause.
    public func run() async throws {
        if let stage { try await check(stage) }
        for (ask, answer) in shows {
            let challenge = Self.challenge(ask)
            try await clause("what the person answers comes back as it is", .answers(answer), challenge) { presenter in
                let found = try await presenter.answer(challenge)
                try expect(found.isSame(as: answer), "another answer came back")
                for secret in answer.secrets {
                    try expect(!Printed.shows(secret, in: found), "the answer prints what was typed")
                }
            }
            try await clause("the person's no is Answer.declined", .declines, challenge) { presenter in
                guard case .declined = try await presenter.answer(challenge) else {
                    throw Broken("another answer came back")
                }
            }
            try await clause("cancelling the task stops showing, with CancellationError", .waits, challenge) {
                presenter in
                try await expectCancellation { _ = try await presenter.answer(challenge) }
            }
            try await clause("a redirect's address is absolute and open before the URL is built", .opens, challenge) {
                guard let receiver = $0 as? any RedirectReceiving else { return }
                let address = try await receiver.openRedirect()
                await receiver.closeRedirect()
                try expect(WebAddress(address) != nil, "the address is no URL")
            }
            try await clause("the end of a sign-in waits for no browser that never came", .opens, challenge) {
                guard let receiver = $0 as? any RedirectConcluding else { return }
                _ = try await receiver.openRedirect()
                await receiver.conclude(.failure(AuthError(.cancelled, "The contract ends the sign-in.")))
                await receiver.closeRedirect()
            }
        }
        let foreign = Self.challenge(unsupported)
        try await clause("a challenge it cannot show is configuration(.unsupported)", .cannotShow, foreign) {
            presenter in
            try await expectError("configuration(.unsupported)", where: { $0 == .configuration(.unsupported) }) {
                _ = try await presenter.answer(foreign)
            }
        }
    }

    private func clause(
        _ clause: String, _ situation: Situation, _ challenge: Challenge,
        _ body: @escaping @Sendable (any ChallengePresenter) async throws -> Void
    ) async throws {
        try await clauses.clause(clause) {
            let made = try await clauses.given("what makes a presenter") { try await make(situation, challenge) }
            guard let presenter = made else { return }
            try await body(presenter)
        }
    }

    static func challenge(_ ask: Ask, id: String = "00112233445566778899aabbccddeeff") -> Challenge {
        let binding = ProviderBinding(provider: "contract", authority: "https://id.example.com", client: "contract")
        return Challenge(id: id, binding: binding, ask: ask)
    }
}

extension Answer {
    /// The secrets that the person typed or the browser returned.
    var secrets: [Secret] {
        switch self {
        case .code(let secret), .password(let secret), .redirected(let secret), .assertion(let secret): [secret]
        case .fields(let fields): Array(fields.values)
        case .choice, .resend, .poll, .declined: []
        }
    }

    /// Returns whether both are the same answer.
    func isSame(as other: Answer) -> Bool {
        switch (self, other) {
        case (.code(let one), .code(let two)), (.password(let one), .password(let two)),
            (.redirected(let one), .redirected(let two)), (.assertion(let one), .assertion(let two)):
            one == two
        case (.choice(let one), .choice(let two)): one == two
        case (.fields(let one), .fields(let two)): one == two
        case (.resend, .resend), (.poll, .poll), (.declined, .declined): true
        default: false
        }
    }
}
