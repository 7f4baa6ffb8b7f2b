#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Standard input, output and error, which a caller may have closed.
///
/// The next file that a program opens gets the lowest free number. If standard output is closed, that may be a file
/// of the store, and a printed token would be written to it.
enum StandardDescriptors {
    /// Opens `/dev/null` in place of each closed one; ends the program if that fails. Call it before anything else
    /// is opened.
    ///
    /// Each is opened in the wrong direction, so that reading and writing still fail as with a closed descriptor.
    /// So a token that cannot be printed is an error here, and in the programs that `exec` starts.
    static func complete() {
        for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 {
            let opened = open("/dev/null", (number == 0 ? O_WRONLY : O_RDONLY) | O_NOCTTY)
            guard opened == number, isDevice(opened) else { refuse() }
        }
    }

    private static func isDevice(_ file: Int32) -> Bool {
        var found = stat()
        return fstat(file, &found) == 0 && found.st_mode & S_IFMT == S_IFCHR
    }

    /// Says why, if standard error was not closed.
    private static func refuse() -> Never {
        if fcntl(2, F_GETFD) >= 0, isOriginal(2) {
            let words = "latchkey: A standard descriptor is closed, and /dev/null cannot be opened in its place\n"
            _ = words.withCString { write(2, $0, strlen($0)) }
        }
        _exit(ExitStatus.failure.code)
    }

    /// Whether a descriptor was open before: one that was opened here cannot be written to.
    private static func isOriginal(_ file: Int32) -> Bool {
        let flags = fcntl(file, F_GETFL)
        return flags >= 0 && flags & O_ACCMODE != O_RDONLY
    }
}
