public import Latchkey
import LatchkeySystem

/// A scripted person. After the script's last step it waits until it is cancelled, as for a device code.
public final class ScriptedPresenter: ChallengePresenter {
    /// What the person does at one challenge.
    public enum Step: Sendable {
        /// Gives this answer.
        case answer(Answer)
        /// Gives the answer that the closure returns for the challenge.
        case made(@Sendable (Challenge) async throws -> Answer)
        /// Throws this error.
        case failed(any Error)
        /// Does nothing until cancelled.
        case waits
    }

    private let state: Locked<(steps: [Step], shown: [Challenge], cancelled: Int)>
    private let shows = Tally()

    /// Creates a person who does the steps in order.
    public init(_ steps: Step...) { state = Locked((steps, [], 0)) }

    /// Creates a person who answers every challenge with the closure.
    public convenience init(answering make: @escaping @Sendable (Challenge) async throws -> Answer) {
        self.init()
        state.withLock { $0.steps = Array(repeating: .made(make), count: 1_000) }
    }

    /// The challenges that were shown, in order.
    public var challenges: [Challenge] { state.withLock { $0.shown } }

    /// How many challenges were cancelled before they were answered.
    public var cancelledCount: Int { state.withLock { $0.cancelled } }

    /// Returns when at least `count` challenges have been shown.
    public func waitForChallenges(_ count: Int) async throws { try await shows.wait(for: count) }

    /// Does the next step.
    public func answer(_ challenge: Challenge) async throws -> Answer {
        let step = state.withLock { state in
            state.shown.append(challenge)
            return state.steps.isEmpty ? .waits : state.steps.removeFirst()
        }
        shows.add()
        switch step {
        case .answer(let answer): return answer
        case .made(let make): return try await make(challenge)
        case .failed(let error): throw error
        case .waits:
            do { try await Latch().wait() } catch { state.withLock { $0.cancelled += 1 } }
            throw CancellationError()
        }
    }
}

/// A scripted browser: it gets the URL to visit and returns the address where it arrived.
public final class ScriptedBrowser: RedirectConcluding {
    private let redirect: String
    private let visit: @Sendable (_ url: String) async throws -> String
    private let state = Locked(
        (opened: 0, closed: 0, visited: [String](), ends: [Result<ConversationEnd, AuthError>]()))

    /// Creates a browser that returns to `redirect`.
    ///
    /// - Parameters:
    ///   - redirect: The address that the browser returns to.
    ///   - visit: Receives the URL and returns the whole address at which the browser arrives.
    public init(redirect: String, visit: @escaping @Sendable (_ url: String) async throws -> String) {
        self.redirect = redirect
        self.visit = visit
    }

    /// How often the address was opened.
    public var openCount: Int { state.withLock { $0.opened } }
    /// How often the address was closed.
    public var closeCount: Int { state.withLock { $0.closed } }
    /// The URLs that were visited.
    public var visited: [String] { state.withLock { $0.visited } }

    /// How the conversations ended, as the person is told.
    public var ends: [Result<ConversationEnd, AuthError>] { state.withLock { $0.ends } }

    /// Opens the address.
    public func openRedirect() -> String {
        state.withLock { $0.opened += 1 }
        return redirect
    }

    /// Closes the address.
    public func closeRedirect() { state.withLock { $0.closed += 1 } }

    /// Keeps how the conversation ended.
    public func conclude(_ end: Result<ConversationEnd, AuthError>) { state.withLock { $0.ends.append(end) } }

    /// Visits the challenge's URL.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.unsupported)` for any other challenge.
    public func answer(_ challenge: Challenge) async throws -> Answer {
        guard case .visit(let url, _) = challenge.ask else {
            throw AuthError(.configuration(.unsupported), "the scripted browser only visits")
        }
        state.withLock { $0.visited.append(url) }
        return .redirected(Secret(try await visit(url)))
    }
}
