import Latchkey

/// Runs a program that finds a valid token in a file, and at a descriptor, as long as it runs.
struct RefreshedProgram: Sendable {
    /// The variable with the file's path.
    static let variable = "LATCHKEY_ACCESS_TOKEN_FILE"

    private let workplace: Workplace
    private let file: TokenFile
    private let socket: TokenSocket
    private let account: AccountID?
    private let written: AccessToken

    /// Runs `words`, also with the first token in the variable `name`.
    static func run(_ words: [String], tokenIn name: String, for workplace: Workplace) async throws -> ExitStatus {
        let events = workplace.client.events
        let (token, account) = try await workplace.token()
        let file = try TokenFile(environment: workplace.invocation.environment, world: workplace.invocation.world)
        defer { file.remove() }
        try file.write(try token.value.handedOver())
        let socket = try TokenSocket(token.value)
        defer { socket.end() }
        let program = RefreshedProgram(
            workplace: workplace, file: file, socket: socket, account: account, written: token)
        let environment = try program.environment(name)
        async let following: Void = program.follow(events)
        let ended: Result<ExitStatus, any Error>
        do {
            try Task.checkCancellation()
            ended = .success(
                try await ChildProgram.run(
                    words, environment: environment, inheriting: socket.childEnd, as: socket.shownAs))
        } catch {
            ended = .failure(error)
        }
        // Signals are for this program again, which passed them on until now.
        Interrupts.install()
        // Wait for a refresh that was sent, because its answer may be the only one. This also ends the events.
        let unstored = await workplace.invocation.endClients()
        await following
        let status = try ended.get()
        if let unstored { throw unstored }
        return status
    }

    private func environment(_ name: String) throws -> [String: String] {
        var variables = SecretVariables.removed(from: workplace.invocation.environment)
        variables[Self.variable] = file.path
        variables[TokenSocket.variable] = String(socket.shownAs)
        // The program reads the file again when the token ends, so the end of the first one would mislead.
        for name in TokenReport(written, workplace.invocation.world).variables.keys { variables[name] = nil }
        guard TokenVariable.fits(name, written.value) else {
            workplace.invocation.console.note(
                workplace.invocation.shown("exec.tokenLarge", ["variable": name, "file": Self.variable]))
            variables[name] = nil
            return variables
        }
        variables[name] = written.value.revealText()
        return variables
    }

    /// Writes each new token, and reports when there will be no more.
    private func follow(_ events: AsyncStream<AuthEvent>) async {
        var written = written
        var said: AuthEvent?
        for await event in events {
            if let token = workplace.client.currentToken(for: workplace.audience, of: account), token != written {
                do {
                    let value = try token.value.handedOver()
                    // A program that has the new token from the descriptor finds it in the file as well.
                    defer { socket.set(value) }
                    try file.write(value)
                    (written, said) = (token, nil)
                } catch {
                    say("error.tokenStale")
                }
            }
            let concerned: AccountID? =
                switch event {
                case .authenticationRequired(let account, _), .signedOut(let account, by: _): account
                default: nil
                }
            guard concerned != nil, concerned == account, event != said else { continue }
            said = event
            say(
                "error.signInMeanwhile", hint: .run("latchkey login --profile \(workplace.profile.name)"))
        }
    }

    private func say(_ key: String, hint: ToolText? = nil) {
        let error = ToolError(.signIn, code: "exec", recovery: "signIn", key, hint: hint)
        let report = ErrorReport(error, workplace.invocation.texts)
        for line in report.lines { workplace.invocation.console.note(line) }
    }
}
