import Latchkey

/// Answers from standard input what the options name, a line each, and leaves every other question to another presenter.
///
/// A refused answer ends the sign-in: the next line is the answer to the next question, never a second try.
struct InputPresenter: RefusalShowing {
    private static let limit = 4_096

    let invocation: Invocation
    let otherwise: any ChallengePresenter
    /// Called before a line is taken: what is refused afterwards is that answer.
    var asking: @Sendable () -> Void = {}

    /// Whether the command line says that an answer comes by standard input.
    static func answers(_ invocation: Invocation) -> Bool {
        [Option.codeFromInput, .passwordFromInput].contains { invocation.arguments.has($0) }
    }

    func answer(_ challenge: Challenge) async throws -> Answer {
        guard takes(challenge) else { return try await otherwise.answer(challenge) }
        if let refusal = challenge.refusal { throw refusal }
        asking()
        let bytes = try invocation.console.readLine(Self.limit).map(PipedText.withoutMark) ?? []
        guard !bytes.isEmpty else { throw invocation.failure(.configuration(.invalid), "usage.inputEmpty") }
        guard PipedText.isText(bytes) else {
            throw invocation.failure(.configuration(.invalid), "usage.inputEncoding")
        }
        if case .newPassword = challenge.ask { return .password(Secret(bytes)) }
        return .code(Secret(bytes))
    }

    func show(_ refusal: AuthError, of challenge: Challenge) async throws {
        guard !takes(challenge) else { throw refusal }
        try await (otherwise as? any RefusalShowing)?.show(refusal, of: challenge)
    }

    private func takes(_ challenge: Challenge) -> Bool {
        switch challenge.ask {
        case .code, .totp, .backupCode: invocation.arguments.has(.codeFromInput)
        case .newPassword: invocation.arguments.has(.passwordFromInput)
        default: false
        }
    }
}
