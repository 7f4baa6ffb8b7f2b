import Latchkey

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Puts another program in this one's place.
enum ProgramReplacement {
    /// Runs `words` instead of this program; returns only when that fails.
    ///
    /// - Parameters:
    ///   - variables: What is put into the environment. It is the new program's alone: nothing is written anywhere.
    ///   - removing: The variables that are taken out of it.
    static func replace(
        with words: [String], setting variables: [String: Secret], removing: [String]
    ) -> ToolError {
        for name in removing { unsetenv(name) }
        for (name, value) in variables {
            guard !value.reveal().contains(0), setenv(name, value.revealText(), 1) == 0 else {
                return failure(.cannotRun, "error.environment")
            }
        }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        // What is ignored or caught here must not be in the new program.
        Interrupts.restoreDefaults()
        InheritedDescriptors.closeOthersAtExec()
        execvp(words.first ?? "", &arguments)
        let problem = errno
        for argument in arguments { free(argument) }
        return failure(of: problem)
    }

    /// Why a program could not be run.
    ///
    /// - Parameter problem: An `errno`.
    static func failure(of problem: Int32) -> ToolError {
        problem == ENOENT || problem == ENOTDIR
            ? failure(.notFound, "error.programMissing")
            : failure(.cannotRun, "error.programRefused", ["number": "\(problem)"])
    }

    static func failure(_ status: ExitStatus, _ key: String, _ values: [String: String] = [:]) -> ToolError {
        ToolError(
            status, code: "exec", recovery: "correctCommand", key, values, hint: ToolText("hint.program"))
    }
}
