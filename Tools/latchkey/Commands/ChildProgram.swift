import CProcess
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Runs a program as a child, with this program's signals and terminal.
enum ChildProgram {
    /// Runs `words` with the environment `variables` until it ends, and returns its exit status, or 128 plus the
    /// number of the signal that ended it.
    ///
    /// - Parameters:
    ///   - words: The program and its arguments.
    ///   - variables: Its whole environment.
    ///   - descriptor: A descriptor that it inherits in addition to those that this program was started with.
    ///   - number: The number that it has there.
    /// - Throws: ``ToolError`` if it cannot be run.
    static func run(
        _ words: [String], environment variables: [String: String], inheriting descriptor: Int32, as number: Int32
    )
        async throws -> ExitStatus
    {
        // On a thread of its own, because the kernel signals the child when the thread that started it ends.
        let ended = await DetachedThread.run { () -> (status: Int32, problem: Int32) in
            let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
            let environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0)=\($1)") } + [nil]
            defer { for text in arguments + environment { free(text) } }
            var problem: Int32 = 0
            let passed = InheritedDescriptors.passed
            let status = latchkey_run_child(
                words.first ?? "", arguments, environment, passed ?? [], Int32(passed?.count ?? -1), descriptor,
                number, &problem)
            return (status, problem)
        }
        guard let ended else { throw ProgramReplacement.failure(of: EAGAIN, running: words.first) }
        guard ended.status >= 0 else { throw ProgramReplacement.failure(of: ended.problem, running: words.first) }
        return ExitStatus(code: ended.status)
    }
}
