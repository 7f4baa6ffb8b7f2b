public import Latchkey

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension StoreProcessContract {
    /// A program that calls ``StoreProcessContract/runMember(_:)`` with the author's store.
    public struct Program: Sendable {
        let path: String
        let arguments: [String]

        /// Creates a program at `path`, to be started with these arguments and the environment of this process.
        public init(path: String, arguments: [String] = []) {
            (self.path, self.arguments) = (path, arguments)
        }

        /// Returns an executable target of the same package. SwiftPM puts it beside the tests if
        /// the test target depends on it.
        public static func built(_ name: String, arguments: [String] = []) -> Program {
            #if canImport(Darwin)
                let tests = CommandLine.arguments.first ?? ""
            #else
                let tests = realpath("/proc/self/exe", nil).map { path in
                    defer { free(path) }
                    return String(cString: path)
                }
            #endif
            let folder = tests.map { $0[..<($0.lastIndex(of: "/") ?? $0.startIndex)] } ?? ""
            return Program(path: "\(folder)/\(name)", arguments: arguments)
        }
    }

    /// Does in this process what the contract started it for. Call it as the whole `main` of a helper program.
    ///
    /// ```swift
    /// @main struct Member {
    ///     static func main() async {
    ///         await StoreProcessContract.runMember { try SQLiteStore(at: $0 + "/sessions.db") }
    ///     }
    /// }
    /// ```
    ///
    /// It usually ends by being killed. What it prints is between it and the contract.
    ///
    /// - Parameter open: Opens the store in that folder: the same closure as the contract's.
    /// - Returns: `false` immediately, if the contract has not started this process.
    @discardableResult
    public static func runMember(_ open: @Sendable (_ folder: String) async throws -> any SessionStore) async -> Bool {
        guard let order = getenv(StoreMember.variable).map({ String(cString: $0) }) else { return false }
        let words = order.split(separator: " ", maxSplits: 3).map(String.init)
        guard words.count == 4, let role = StoreMember.Role(rawValue: words[0]), let number = Int(words[1]),
            let seed = UInt64(words[2])
        else { return false }
        let go = StoreMember.listen()
        // If files are private then, the store made them so.
        umask(0)
        do {
            try await StoreMember(try await open(words[3]), number: number, seed: seed, go: go).act(as: role)
        } catch {
            StoreMember.say(.failed(Clauses.shown(error)))
        }
        return true
    }
}
