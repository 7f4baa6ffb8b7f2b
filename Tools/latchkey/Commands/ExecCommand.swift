import Latchkey

extension Option {
    static let environmentName = value(
        "env", "NAME", .text, "Puts the token into this variable instead of LATCHKEY_ACCESS_TOKEN")
    static let keepRefreshing = flag(
        "refresh", "Stays as the parent and keeps a good token in the file that LATCHKEY_ACCESS_TOKEN_FILE names")
}

extension Command {
    static let exec = Command(
        name: "exec", summary: "Runs a program with an access token in its environment",
        details: [
            "The program replaces this process, and its exit status counts; without a program it is a shell, $SHELL."
                + " The token is in LATCHKEY_ACCESS_TOKEN, its end in LATCHKEY_ACCESS_TOKEN_EXPIRES_AT (RFC 3339, UTC),"
                + " and its scopes, separated by spaces, in LATCHKEY_ACCESS_TOKEN_SCOPES, where the service tells"
                + " them; LATCHKEY_CLIENT_SECRET is taken out of its environment. With 126 the"
                + " program could not be run, with 127 it was not found. It inherits the descriptors that this program"
                + " was started with, and no others.",
            "With --refresh this program stays and refreshes the token ahead of its end. The program finds the token of"
                + " the moment in a private file, replaced whole and gone at the end, whose path is in"
                + " LATCHKEY_ACCESS_TOKEN_FILE. It may also write a line feed to the descriptor whose number is in"
                + " LATCHKEY_ACCESS_TOKEN_FD, a socket, and read the token as one line from there. The token in"
                + " LATCHKEY_ACCESS_TOKEN is the first one and ends. If a server refuses the token before its end, run"
                + " \"latchkey refresh\": the new one is found in the same places. Signals"
                + " are passed on, and so is the exit status: 128 and its number where a signal ended the program."
                + " When this program is killed, the program gets SIGTERM (on Linux). Where a refresh needs a"
                + " sign-in, standard error says so and the program goes on.",
        ],
        examples: [
            Example("latchkey exec -- ./sync --all", "manual.example.exec"),
            "latchkey exec --env GH_TOKEN -- gh api user",
            "latchkey exec --refresh -- ./long-running-job", "latchkey exec",
        ],
        options: [
            .environmentName, .keepRefreshing, .minimumValidity, .strict, .audience, .account, .verbose, .profile,
            .json,
        ],
        operands: [
            Operand(
                placeholder: "PROGRAM", kind: .program, count: .optionalRest,
                help: "The program and its arguments, as they are; a shell if not given")
        ],
        run: { invocation in
            let name = invocation.arguments[.environmentName] ?? "LATCHKEY_ACCESS_TOKEN"
            guard isVariableName(name) else {
                throw UsageError(
                    "usage.variable", command: invocation.arguments.command)
            }
            let isParent = invocation.arguments.has(.keepRefreshing)
            if isParent {
                let workplace = try await Workplace.open(invocation, invocation.profile(), refreshing: .ahead)
                return try await RefreshedProgram.run(words(invocation), tokenIn: name, for: workplace)
            }
            let (token, _) = try await invocation.token(of: invocation.profile())
            _ = try token.value.handedOver()
            guard TokenVariable.fits(name, token.value) else { throw TokenVariable.failure(name, token.value) }
            // The program takes this one's place, and what is under way would end with it.
            let unstored = await invocation.endClients()
            await invocation.flushSecurityLogs()
            if let unstored { throw unstored }
            var variables = TokenReport(token, invocation.world).variables
            for name in SecretVariables.names { variables[name] = .some(nil) }
            variables[name] = token.value
            throw ProgramReplacement.replace(with: words(invocation), setting: variables)
        })

    private static func words(_ invocation: Invocation) -> [String] {
        guard invocation.arguments.operands.isEmpty else { return invocation.arguments.operands }
        invocation.console.note(invocation.shown("exec.shell"))
        let shell = invocation.environment["SHELL", default: ""]
        return [shell.hasPrefix("/") ? shell : "/bin/sh"]
    }

    private static func isVariableName(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
        }
    }
}
