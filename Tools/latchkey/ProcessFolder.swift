#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The folder `/proc`, in which the runtime looks up its own threads.
///
/// Linux's libdispatch ends a program by a signal where that is not mounted, about a second after its start: perhaps in the
/// middle of a refresh, whose answer would be lost.
enum ProcessFolder {
    /// Ends the program with an error if the folder is missing, unless it only shows its help or version. Call it before
    /// anything is sent.
    ///
    /// - Parameters:
    ///   - words: The command line.
    ///   - environment: Says the language of the error.
    static func demand(_ words: [String], _ environment: [String: String]) {
        #if os(Linux)
            let needsNothing = ["help", "--version", "completions"].contains(words.first) || words.contains("--help")
            guard !words.isEmpty, !needsNothing, access("/proc/self/task", R_OK) != 0 else { return }
            let texts = ToolTexts(environment)
            let hint = texts("hint", ["hint": texts("hint.noProc")])
            let lines = "latchkey: \(texts("error.noProc"))\n\(hint)\n"
            _ = lines.withCString { write(2, $0, strlen($0)) }
            _exit(ExitStatus.failure.code)
        #endif
    }
}
