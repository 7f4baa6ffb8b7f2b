public import Latchkey

/// Asks in the person's own browser: each question has a page of its own on this machine, for as long as it is asked.
public struct WicketPresenter: ChallengePresenter {
    private let context: PluginContext
    private let announce: @Sendable (_ page: String) async -> Void

    /// Creates a presenter.
    ///
    /// - Parameter announce: Tells the person the address of a question's page. It is enough to answer, so nothing else may learn it.
    public init(context: PluginContext = .system, announce: @escaping @Sendable (_ page: String) async -> Void) {
        self.context = context
        self.announce = announce
    }

    /// Serves the question's page until it is answered.
    public func answer(_ challenge: Challenge) async throws -> Answer {
        guard let form = WicketForm(challenge.ask, ticket: context.randomName()) else {
            throw AuthError(.configuration(.unsupported), "A wicket cannot show that question.")
        }
        try Task.checkCancellation()
        let door = try WicketDoor(clock: context.clock)
        defer { door.close() }
        let visit = WicketVisit(
            form: form, place: "127.0.0.1:\(door.port)", path: "/" + context.randomName(), turn: WicketTurn())
        await announce("http://\(visit.place)\(visit.path)")
        let answer = await withTaskGroup(of: Step.self) { group in
            group.addTask { await Self.wait(at: door) }
            var answer: Answer?
            for await step in group {
                switch step {
                case .came(let line):
                    group.addTask { await Self.serve(line, visit) }
                    group.addTask { await Self.wait(at: door) }
                case .answered(let first):
                    answer = answer ?? first
                    group.cancelAll()
                case .left: break
                }
            }
            return answer
        }
        guard let answer else { throw CancellationError() }
        return answer
    }

    private static func wait(at door: WicketDoor) async -> Step {
        do { return .came(try await door.next()) } catch { return .left }
    }

    private enum Step: Sendable {
        case came(WicketLine)
        case left
        case answered(Answer)
    }

    private static func serve(_ line: WicketLine, _ visit: WicketVisit) async -> Step {
        var line = line
        defer { line.close() }
        guard let request = try? await line.request() else { return .left }
        let (page, answer) = await visit.page(for: request)
        try? await line.write(page)
        return answer.map { .answered($0) } ?? .left
    }
}

/// Whose turn it is: the first answer's.
actor WicketTurn {
    private var isTaken = false

    /// Returns `true` once.
    func take() -> Bool {
        defer { isTaken = true }
        return !isTaken
    }
}
