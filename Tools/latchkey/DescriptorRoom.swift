#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Whether the system lets this program open the descriptors that it needs.
///
/// The runtime opens some for its threads and timers, and ends a program by a signal if it gets none.
enum DescriptorRoom {
    /// How many descriptors a command opens at once, and some more for libraries. Each directory on the way to a place is one,
    /// and a sign-in looks at two places at once. A refresh that finds none left cannot store what it got.
    static let needed = 40

    /// Ends the program with an error if fewer than ``needed`` can be opened. Call it before any thread starts.
    ///
    /// - Parameter environment: Says the language of the error.
    static func demand(_ environment: [String: String]) {
        var opened: [Int32] = []
        defer { for file in opened { close(file) } }
        while opened.count < needed {
            let file = fcntl(2, F_DUPFD_CLOEXEC, 3)
            guard file >= 0 else { break }
            opened.append(file)
        }
        guard opened.count < needed else { return }
        let texts = ToolTexts(environment)
        let hint = texts("hint.fewDescriptors")
        let lines =
            "latchkey: \(texts("error.fewDescriptors", ["needed": "\(needed)", "free": "\(opened.count)"]))\n"
            + "\(texts("hint", ["hint": hint]))\n"
        _ = lines.withCString { write(2, $0, strlen($0)) }
        _exit(ExitStatus.failure.code)
    }
}
