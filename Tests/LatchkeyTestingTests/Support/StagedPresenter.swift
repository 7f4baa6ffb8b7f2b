import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// A presenter without a page, whose person is a test: it breaks at most one promise.
final class StagedPresenter: RefusalShowing {
    enum Fault: String, CaseIterable, Sendable {
        case mixesQuestions, remembers, staysShown, writesTyped, deafBefore, declinesForNone, joinsQuestions

        var clause: String {
            switch self {
            case .mixesQuestions: "an answer to one question answers no other"
            case .remembers: "a question that is asked again wants a new answer"
            case .staysShown: "nothing is left of a question that is over"
            case .writesTyped: "nothing of a question or an answer is printed"
            case .deafBefore: "cancelling the task stops showing, with CancellationError"
            case .declinesForNone: "the person's no is Answer.declined"
            case .joinsQuestions: "questions at once get each its own answer"
            }
        }
    }

    private struct State {
        var shown: [(id: String, latch: Latch)] = []
        var answers: [String: Answer] = [:]
        var known: [String: Answer] = [:]
        var written: [String] = []
    }

    let fault: Fault?
    private let state = Locked(State())

    init(_ fault: Fault?) { self.fault = fault }

    var stage: PresenterStage {
        var stage = PresenterStage(self) { [self] challenge, act in try await perform(act, on: challenge) }
        stage.showing = { [self] in state.withLock { $0.shown.count } }
        stage.written = { [self] in state.withLock { $0.written } }
        stage.asksAtOnce = true
        return stage
    }

    func answer(_ challenge: Challenge) async throws -> Answer {
        if case .passkey = challenge.ask { throw AuthError(.configuration(.unsupported), "It shows no such question.") }
        if fault == .remembers, let known = state.withLock({ $0.known[challenge.id] }) { return known }
        if fault == .deafBefore, Task.isCancelled { return .declined }
        let latch = Latch()
        state.withLock { $0.shown.append((challenge.id, latch)) }
        defer { if fault != .staysShown { state.withLock { state in state.shown.removeAll { $0.latch === latch } } } }
        try await latch.wait()
        return state.withLock { state in
            let answer = state.answers.removeValue(forKey: challenge.id) ?? .declined
            if fault == .remembers { state.known[challenge.id] = answer }
            if case .password(let typed) = answer, fault == .writesTyped { state.written.append(typed.revealText()) }
            if case .declined = answer, fault == .declinesForNone { return .resend }
            return answer
        }
    }

    func show(_ refusal: AuthError, of challenge: Challenge) { state.withLock { $0.written.append(refusal.message) } }

    /// Does the act, at once if the question was shown before.
    private func perform(_ act: PresenterStage.Act, on challenge: Challenge) async throws -> Bool {
        while state.withLock({ $0.shown.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
        for _ in 0..<50 where state.withLock({ state in !state.shown.contains { $0.id == challenge.id } }) {
            try await Task.sleep(for: .milliseconds(1))
        }
        return state.withLock { state in
            let takesAny = fault == .mixesQuestions || fault == .joinsQuestions && state.shown.count > 1
            let place = takesAny ? 0 : state.shown.firstIndex { $0.id == challenge.id }
            guard let place else { return false }
            if case .answers(let answer) = act { state.answers[state.shown[place].id] = answer }
            state.shown[place].latch.open()
            return true
        }
    }
}
