import Latchkey

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Replaces this program by another one.
enum ProgramReplacement {
    /// Runs `words` in place of this program. Returns only if that fails.
    ///
    /// - Parameters:
    ///   - variables: The variables to add to the environment. Only the new program gets them; nothing is written
    ///     to disk.
    ///   - removing: The variables to remove from it.
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
        // The new program must not inherit ignored or caught signals.
        Interrupts.restoreDefaults()
        InheritedDescriptors.closeOthersAtExec()
        execvp(words.first ?? "", &arguments)
        let problem = errno
        for argument in arguments { free(argument) }
        return failure(of: problem)
    }

    /// Returns why a program could not be run.
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
