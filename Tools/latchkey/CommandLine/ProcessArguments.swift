import CProcess

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The words that this process was started with.
enum ProcessArguments {
    /// The name of the program, and the words after it. Swift reads them from `/proc`, which a service's sandbox or a
    /// container may lack, so the C library is asked first.
    static let all: [String] = {
        var count: Int32 = 0
        guard let words = latchkey_arguments(&count), count > 0 else { return CommandLine.arguments }
        return (0..<Int(count)).compactMap { words[$0].map { String(cString: $0) } }
    }()

    /// The folder of this program's file, with links resolved; `nil` if that cannot be told.
    static let folder: String? = {
        #if canImport(Darwin)
            let program = all.first ?? ""
        #else
            let program = "/proc/self/exe"
        #endif
        guard let path = realpath(program, nil) else { return nil }
        defer { free(path) }
        let whole = String(cString: path)
        return whole.lastIndex(of: "/").map { String(whole[..<$0]) }
    }()
}
