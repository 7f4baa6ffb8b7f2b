import CProcess
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
    ///   - variables: The variables to set in the environment, and those to remove: `nil`. Only the new program gets
    ///     them; nothing is written to disk.
    static func replace(with words: [String], setting variables: [String: Secret?]) -> ToolError {
        for (name, value) in variables {
            guard let value else {
                unsetenv(name)
                continue
            }
            guard !value.reveal().contains(0), setenv(name, value.revealText(), 1) == 0 else {
                return failure(.cannotRun, "error.environment")
            }
        }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        // The new program must not inherit ignored or caught signals.
        Interrupts.restoreDefaults()
        InheritedDescriptors.closeOthersAtExec()
        latchkey_take_priority(getpid())
        execvp(words.first ?? "", &arguments)
        let problem = errno
        for argument in arguments { free(argument) }
        return failure(of: problem, running: words.first)
    }

    /// Returns why a program could not be run.
    ///
    /// - Parameters:
    ///   - problem: An `errno`.
    ///   - program: The program's name.
    static func failure(of problem: Int32, running program: String?) -> ToolError {
        let program = ["program": Console.printable(String((program ?? "").prefix(256)))]
        return problem == ENOENT || problem == ENOTDIR
            ? failure(.notFound, "error.programMissing", program)
            : failure(
                .cannotRun, "error.programRefused", program, parts: ["problem": SystemProblem.text(problem)])
    }

    static func failure(
        _ status: ExitStatus, _ key: String, _ values: [String: String] = [:], parts: [String: ToolText] = [:]
    ) -> ToolError {
        ToolError(
            status, code: "exec", recovery: "correctCommand", key, values, parts: parts,
            hint: ToolText("hint.program"))
    }
}
