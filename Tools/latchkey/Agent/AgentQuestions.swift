import Latchkey
import LatchkeyAgent
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Option {
    static let confirm = flag(
        "confirm", "The agent asks you, by the program in LATCHKEY_ASKPASS or SSH_ASKPASS, before it serves a program")
}

/// Asks the person for an agent, one question at a time. What was said counts for the process that asked, as long as
/// it runs the same program: a yes for what was asked, a no for everything.
final class AgentQuestions: AgentConfirming {
    /// The longest time that a question is shown, and the longest time that it waits for others.
    private static let longest = AgentServer.longestQuestion / 2

    private struct State {
        var allowed: [SeenProcess: Set<AgentUse>] = [:]
        var trusted: Set<SeenProcess> = []
        var refused: Set<SeenProcess> = []
        var isAsking = false
        var waiting: [CheckedContinuation<Void, Never>] = []

        func answer(_ process: SeenProcess, _ use: AgentUse) -> Bool? {
            if refused.contains(process) { return false }
            return trusted.contains(process) || allowed[process]?.contains(use) == true ? true : nil
        }

        mutating func forget(unless isThere: (SeenProcess) -> Bool) {
            (trusted, refused) = (trusted.filter(isThere), refused.filter(isThere))
            allowed = allowed.filter { isThere($0.key) }
        }
    }

    private let invocation: Invocation
    private let program: AskingProgram?
    private let state = Locked(State())

    init(_ invocation: Invocation) {
        self.invocation = invocation
        program = AskingProgram(invocation.environment)
    }

    func prepare() throws {
        guard program != nil else { throw invocation.failure(.configuration(.unsupported), "error.noAskingProgram") }
        guard seen(getpid()) != nil else { throw invocation.failure(.configuration(.unsupported), "error.noProcesses") }
    }

    func trust(_ process: Int32) {
        guard let process = seen(process) else { return }
        state.withLock { state in
            state.forget { seen($0.number) == $0 }
            state.trusted.insert(process)
        }
    }

    func allows(_ number: Int32, _ use: AgentUse) async -> Bool {
        guard let program, let process = seen(number) else { return false }
        if let known = state.withLock({ $0.answer(process, use) }) { return known }
        let came = invocation.world.clock.now()
        await takeTurn()
        defer { passTurn() }
        if let known = state.withLock({ $0.answer(process, use) }) { return known }
        guard invocation.world.clock.now() - came < Self.longest else { return false }
        let question = question(process, use)
        let seconds = Int(Self.longest.components.seconds)
        let isYes = await DetachedThread.run { program.confirms(question, within: seconds) } ?? false
        // The number is another process's now, or the process runs another program.
        guard seen(number) == process else { return false }
        state.withLock { state in
            state.forget { seen($0.number) == $0 }
            if isYes { state.allowed[process, default: []].insert(use) } else { state.refused.insert(process) }
        }
        return isYes
    }

    private func takeTurn() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isAsking { state.waiting.append(continuation) }
                defer { state.isAsking = true }
                return !state.isAsking
            }
            if isFree { continuation.resume() }
        }
    }

    private func passTurn() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.isAsking = false
            return nil
        }
        next?.resume()
    }

    private func seen(_ number: pid_t) -> SeenProcess? { SeenProcess(number, boot: invocation.world.clock.boot) }

    /// The question: the programs as the system names them, and the words as they show themselves.
    private func question(_ process: SeenProcess, _ use: AgentUse) -> String {
        var key = "agent.question.vault"
        var values = ["program": Self.shown(process.program), "number": "\(process.number)"]
        if case .token(let profile) = use { (key, values["profile"]) = ("agent.question.token", Self.shown(profile)) }
        var lines = [invocation.texts(key, values)]
        if process.parent > 1, let parent = seen(process.parent) {
            lines.append(
                invocation.texts(
                    "agent.question.parent",
                    [
                        "program": Self.shown(parent.program), "number": "\(parent.number)",
                        "words": Self.shown(parent.words.joined(separator: " ")),
                    ]))
        }
        return lines.joined(separator: "\n")
    }

    private static func shown(_ text: String) -> String {
        let text = Console.printable(text)
        return text.count > 120 ? text.prefix(119) + "…" : text
    }
}
