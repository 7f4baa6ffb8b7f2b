import Latchkey

/// What the program ends with.
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
    static let cannotRun = ExitStatus(code: 126)
    static let notFound = ExitStatus(code: 127)
    static let interrupted = ExitStatus(code: 130)
    static let brokenPipe = ExitStatus(code: 141)
    static let terminated = ExitStatus(code: 143)

    /// Each status and what it means, for the help.
    static let meanings: [(status: ExitStatus, meaning: String)] = [
        (.success, "Done"),
        (.failure, "The output could not be written, or something unforeseen"),
        (.usage, "The command line is wrong"),
        (.signIn, "Nobody is signed in, or must sign in again"),
        (.later, "The service cannot be reached or is busy; try later"),
        (.locked, "Locked; unlock first"),
        (.refused, "What was given was refused, or the person said no"),
        (.store, "The store is damaged, open to others, full or cannot be written"),
        (.configuration, "The configuration is wrong, or has changed since the sign-in"),
        (.untrusted, "An answer cannot be trusted; look before you repeat it"),
        (.cannotRun, "exec: the program was found and cannot be run"),
        (.notFound, "exec: the program was not found"),
        (.interrupted, "Interrupted (Ctrl-C)"),
        (.brokenPipe, "Whoever read the output went away"),
        (.terminated, "Ended by SIGTERM; the dev-server ends with 0 then"),
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
