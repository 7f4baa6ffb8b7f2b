import Latchkey

/// What is wrong with the keyring, before it is told to anybody.
enum KeyringProblem: Error {
    case notBuiltIn, noBus, noService, noAnswer, noCollection, locked, other
    /// An item that was found is not there any more: another process has removed it.
    case gone

    /// One sentence of what is wrong, and what to do where something can be done.
    var sentence: String {
        switch self {
        case .notBuiltIn: "this program was built without the SecretService trait"
        case .noBus: "there is no session bus to ask for a keyring"
        case .noService: "no keyring runs on the session bus: install gnome-keyring or KeePassXC, or start it"
        case .noAnswer: "the keyring does not answer"
        case .noCollection:
            "the keyring has no default collection: make one in the keyring's own program, or log in to the desktop once"
        case .locked: "the keyring is locked"
        case .other, .gone: "the keyring refused the call"
        }
    }

    var error: AuthError {
        switch self {
        case .locked: AuthError(.locked, sentence)
        default: AuthError(.store(.unavailable), sentence)
        }
    }
}
