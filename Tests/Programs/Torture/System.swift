#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What is asked of the system directly.
enum System {
    /// Nanoseconds since some instant, by a clock that nobody sets.
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    static let millisecond: Int64 = 1_000_000

    /// Writes a line at once and in one piece, which the kernel promises for so short a one. Ends the process where
    /// nobody reads any more.
    static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        if write(STDOUT_FILENO, bytes, bytes.count) != bytes.count { exit(1) }
    }

    /// Lets others work for a moment.
    static func pause() { usleep(50) }

    /// The names in a directory.
    static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Lets the parent go first: it is the service, and has to be quick.
    static func stepBack() { _ = nice(10) }
}
