#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One of the processes that write into a security log and are killed (`write`), or the one that starts, kills and
/// judges them (`judge`).
func begin(_ words: [String]) async throws -> Int32 {
    switch words.first {
    case "write":
        guard let writer = Writer(Array(words.dropFirst())) else { return 2 }
        await writer.run()
        return 1
    case "judge":
        guard let run = Run(Array(words.dropFirst())) else {
            say("usage: audit-member judge DIRECTORY PROCESSES KILLS LINES SEED")
            return 2
        }
        return try await run.run() ? 0 : 1
    default: return 2
    }
}

exit(try await begin(Array(CommandLine.arguments.dropFirst())))
