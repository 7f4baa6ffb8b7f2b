import Latchkey

/// The exit status of the program.
struct ExitStatus: Hashable, Sendable {
    /// The number.
    let code: Int32

    static let success = ExitStatus(code: 0)
    static let failure = ExitStatus(code: 1)
    static let usage = ExitStatus(code: 2)
    static let signIn = ExitStatus(code: 3)
    static let later = ExitStatus(code: 4)
    static let locked = ExitStatus(code: 5)
    static let refused = ExitStatus(code: 6)
    static let store = ExitStatus(code: 7)
    static let configuration = ExitStatus(code: 8)
    static let untrusted = ExitStatus(code: 9)
    static let redirected = ExitStatus(code: 10)
    static let cannotRun = ExitStatus(code: 126)
    static let notFound = ExitStatus(code: 127)
    static let interrupted = ExitStatus(code: 130)
    static let brokenPipe = ExitStatus(code: 141)
    static let terminated = ExitStatus(code: 143)

    /// Each status with the key of its meaning, for the help.
    static let meanings: [(status: ExitStatus, meaning: String)] = [
        (.success, "exit.success"),
        (.failure, "exit.failure"),
        (.usage, "exit.usage"),
        (.signIn, "exit.signIn"),
        (.later, "exit.later"),
        (.locked, "exit.locked"),
        (.refused, "exit.refused"),
        (.store, "exit.store"),
        (.configuration, "exit.configuration"),
        (.untrusted, "exit.untrusted"),
        (.redirected, "exit.redirected"),
        (.cannotRun, "exit.cannotRun"),
        (.notFound, "exit.notFound"),
        (.interrupted, "exit.interrupted"),
        (.brokenPipe, "exit.brokenPipe"),
        (.terminated, "exit.terminated"),
    ]

    /// The status for an error of the engine.
    init(_ error: AuthError) {
        self =
            switch error.code {
            case .signInRequired: .signIn
            case .offline, .serviceTrouble, .rateLimited, .busy: .later
            case .locked, .unlockUnavailable: .locked
            case .refused, .declined: .refused
            case .store: .store
            case .configuration: .configuration
            case .untrusted: .untrusted
            case .cancelled: .interrupted
            }
    }

    init(code: Int32) { self.code = code }
}
