import CProcess

/// The words that this process was started with.
enum ProcessArguments {
    /// The name of the program, and the words after it. Swift reads them from `/proc`, which a service's sandbox or a
    /// container may lack, so the C library is asked first.
    static let all: [String] = {
        var count: Int32 = 0
        guard let words = latchkey_arguments(&count), count > 0 else { return CommandLine.arguments }
        return (0..<Int(count)).compactMap { words[$0].map { String(cString: $0) } }
    }()
}
