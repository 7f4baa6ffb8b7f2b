package import Latchkey
package import LatchkeyJSON

/// What the program of the development server works with: its command line, read and checked, and the outside world.
package struct DevServerLine: Sendable {
    private static let largestFile = 1 << 20
    private let invocation: Invocation

    init(_ invocation: Invocation) { self.invocation = invocation }

    private var arguments: Arguments { invocation.arguments }

    /// The port to listen on; 0 for any free one.
    package var port: UInt16 { arguments.port(.serverPort) ?? 0 }
    /// How long access tokens last; `nil` for the usual time.
    package var tokenLifetime: Duration? { arguments.duration(.tokenLifetime) }
    /// Whether the first user is signed in without being asked.
    package var approvesAll: Bool { arguments.has(.autoApprove) }
    /// Whether each request is told of.
    package var tellsRequests: Bool { arguments.has(.requestLog) }
    /// Further addresses that codes and links may lead to.
    package var redirects: [String] { arguments.all(.redirects) }
    /// Settings of the Supabase project, `NAME=VALUE`.
    package var projectSettings: [String] { arguments.all(.gotrue) }
    /// Switches of the Clerk instance, out of ``DevServerWords/clerk``.
    package var clerkSettings: [String] { arguments.all(.clerkSetting) }
    /// What fails, as it was typed.
    package var faults: [String] { arguments.all(.fault) }

    /// Returns the file with the people, at most a megabyte; `nil` if none is named.
    ///
    /// - Throws: A mistake in the command line if the file cannot be read.
    package func people() throws -> [UInt8]? {
        guard let path = arguments[.users] else { return nil }
        let absolute = path.hasPrefix("/") ? path : (WorkingDirectory.path ?? "") + "/" + path
        guard let bytes = (try? invocation.world.files.read(absolute, limit: Self.largestFile)) ?? nil else {
            throw mistake("usage.usersFile")
        }
        return bytes
    }

    /// Returns a mistake in the command line, by the key of its text.
    package func mistake(_ key: String, _ values: [String: String] = [:]) -> any Error {
        UsageError(key, values, command: .devServer)
    }

    /// Returns the error of a server that cannot be started, by the key of its text.
    package func failure(_ code: AuthError.Code, _ key: String, _ values: [String: String]) -> any Error {
        ToolError(code, key, values)
    }

    /// Reads a duration such as `90s`; `nil` if `text` is none.
    package func duration(_ text: String) -> Duration? { Durations.parse(text) }

    /// A text for the person, by its key.
    package func text(_ key: String, _ values: [String: String] = [:]) -> String { invocation.texts(key, values) }

    /// Prints `value` if JSON is asked for, else the labelled rows and the lines below them.
    package func show(_ value: JSON, rows: [(String, String?)], lines: [String]) throws {
        try invocation.show(value, Columns.lines(rows) + lines)
    }

    /// Prints a line on standard error.
    package func note(_ line: String) { invocation.console.note(Console.printable(line)) }

    /// Waits until the person stops the program.
    package func untilStopped() async {
        let clock = invocation.world.clock
        while !Task.isCancelled { try? await clock.sleep(until: clock.now() + .seconds(3_600)) }
    }
}
