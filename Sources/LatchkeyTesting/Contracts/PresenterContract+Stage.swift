import Latchkey
import LatchkeySystem

/// What is checked by acting on a presenter from outside.
extension PresenterContract {
    typealias Staging = @Sendable (Challenge) async throws -> PresenterStage

    func check(_ stage: @escaping Staging) async throws {
        for (ask, answer) in shows {
            let scene = Scene(ask: ask, answer: answer, clauses: clauses, stage: stage)
            try await clauses.clause("what the person answers comes back as it is", scene.answered)
            try await clauses.clause("the person's no is Answer.declined", scene.declined)
            try await clauses.clause("cancelling the task stops showing, with CancellationError", scene.cancelled)
            try await clauses.clause("nothing is left of a question that is over", scene.leavesNothing)
            try await clauses.clause("an answer to one question answers no other", scene.lateAnswers)
            try await clauses.clause("a question that is asked again wants a new answer", scene.askedAgain)
            try await clauses.clause(
                "of two answers at once, one is taken, and only that one is told so", scene.answeredTwice)
            try await clauses.clause("questions at once get each its own answer", scene.atOnce)
            try await clauses.clause("nothing of a question or an answer is printed", scene.printsNothing)
            try await clauses.clause("only the page itself may bring the answer", scene.strangers)
            try await clauses.clause("a visitor that says nothing holds up no other", scene.silentVisitors)
            try await clauses.clause("the page is for this machine alone", scene.otherMachines)
            try await clauses.clause("what a service says is shown as text, and is no part of the page", scene.markup)
        }
    }

    /// One kind of question, and what is done with it.
    struct Scene: Sendable {
        let ask: Ask
        let answer: Answer
        let clauses: Clauses
        let stage: Staging

        var first: Challenge { PresenterContract.challenge(ask, id: "0123456789abcdef0123456789abcdef") }
        var second: Challenge { PresenterContract.challenge(ask, id: "fedcba9876543210fedcba9876543210") }

        /// What is done by those whose answer must not count.
        var wrong: PresenterStage.Act { answer.varied(for: ask).map { .answers($0) } ?? .declines }

        func made() async throws -> PresenterStage {
            try await clauses.given("what makes a stage") { try await stage(first) }
        }

        /// Begins to ask.
        func asking(_ challenge: Challenge, of stage: PresenterStage) -> Asked {
            let isOver = Locked(false)
            let task = Task {
                defer { isOver.withLock { $0 = true } }
                return try await stage.presenter.answer(challenge)
            }
            return Asked(challenge: challenge, stage: stage, task: task, isOver: isOver)
        }

        /// Ends the stage after `body`, whatever happened.
        func with<Value>(
            _ stage: PresenterStage, _ body: () async throws -> Value
        ) async throws -> Value {
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            await stage.end()
            return try result.get()
        }
    }

    /// A question that is asked.
    struct Asked: Sendable {
        let challenge: Challenge
        let stage: PresenterStage
        let task: Task<Answer, any Error>
        let isOver: Locked<Bool>

        /// Does `act`, and returns what came back, and whether the presenter said that it took it; `nil` if it cannot be
        /// done there.
        func answered(by act: PresenterStage.Act) async throws -> (answer: Answer, isTaken: Bool)? {
            let acting = Task {
                do {
                    let isTaken = try await stage.act(act, on: challenge)
                    // What was not taken brings no answer.
                    if isTaken != true { task.cancel() }
                    return isTaken
                } catch {
                    task.cancel()
                    throw error
                }
            }
            return try await withTaskCancellationHandler {
                let result = await task.result
                await stage.end()
                guard let isTaken = try await acting.value else { return nil }
                if !isTaken, case .failure(is CancellationError) = result {
                    throw Broken("what the person did was not taken")
                }
                return (try result.get(), isTaken)
            } onCancel: {
                acting.cancel()
                task.cancel()
            }
        }

        /// Throws ``Broken`` unless `act` is taken and comes back.
        func expect(_ act: PresenterStage.Act, _ detail: String) async throws {
            guard let found = try await answered(by: act) else { return }
            try LatchkeyTesting.expect(act.leads(to: found.answer), detail)
            try LatchkeyTesting.expect(found.isTaken, "what the person did came back, and was told not to be taken")
        }

        /// Cancels it, and throws ``Broken`` unless that is what comes back.
        func cancel() async throws {
            task.cancel()
            switch await task.result {
            case .success: throw Broken("it went on to the end")
            case .failure(is CancellationError): return
            case .failure(let error as AuthError) where error.code == .cancelled: return
            case .failure(let error): throw Broken("it threw \(Clauses.shown(error)) and not CancellationError")
            }
        }
    }
}

extension PresenterStage.Act {
    /// Whether `answer` is what the act should lead to.
    func leads(to answer: Answer) -> Bool {
        switch self {
        case .answers(let own): own.isSame(as: answer)
        case .declines: Answer.declined.isSame(as: answer)
        }
    }
}

extension Answer {
    /// Another answer to the same question, of the same form; `nil` if there is none.
    func varied(for ask: Ask) -> Answer? {
        switch self {
        case .code(let secret): .code(secret.varied)
        case .password(let secret): .password(secret.varied)
        case .fields(let fields): .fields(fields.mapValues(\.varied))
        case .choice(let id):
            if case .choose(let options) = ask {
                options.first { $0.id != id }.map { .choice($0.id) }
            } else {
                nil
            }
        case .redirected, .assertion, .resend, .poll, .declined: nil
        }
    }
}

extension Secret {
    /// A text of the same length, in which each digit is the next one, or each letter `x`.
    fileprivate var varied: Secret {
        let bytes = reveal()
        let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
        guard bytes.contains(where: isDigit) else {
            return Secret(Array(repeating: UInt8(ascii: "x"), count: bytes.count))
        }
        return Secret(bytes.map { isDigit($0) ? ($0 == 0x39 ? 0x30 : $0 + 1) : $0 })
    }
}
