import Latchkey

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What an `errno` means, as the end of a sentence.
enum SystemProblem {
    /// Returns the text for `number`. Rare ones are in the system's own words, which are English.
    static func text(_ number: Int32) -> ToolText {
        keys[number].map { ToolText($0) } ?? ToolText("problem.system", ["words": FileError.words(number)])
    }

    private static let keys: [Int32: String] = [
        EACCES: "problem.denied", EPERM: "problem.denied", EROFS: "problem.readOnly", ENOSPC: "problem.full",
        EDQUOT: "problem.full", ENOENT: "problem.missing", ENOTDIR: "problem.missing", ELOOP: "problem.kind",
        EISDIR: "problem.kind", EIO: "problem.disk", EMFILE: "problem.openFiles", ENFILE: "problem.openFiles",
        ENOEXEC: "problem.format", E2BIG: "problem.environment", ETXTBSY: "problem.written",
        EAGAIN: "problem.processes", ENOMEM: "problem.memory",
    ]
}
