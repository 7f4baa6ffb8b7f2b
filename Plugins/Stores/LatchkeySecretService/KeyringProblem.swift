import Latchkey

/// What is wrong with the keyring, before it becomes an ``/Latchkey/AuthError``.
enum KeyringProblem: Error {
    case notBuiltIn, notInstalled, noBus, noService, noAnswer, noCollection, locked, other
    /// An item that was found is gone: another process has removed it.
    case gone

    /// One sentence that says what is wrong, and how to fix it if that is possible.
    var sentence: String {
        switch self {
        case .notBuiltIn: "this program was built without the SecretService trait"
        case .notInstalled:
            KeyringConversation.refusal.map { "the library that speaks to keyrings cannot be loaded: \($0)" }
                ?? "the library that speaks to keyrings is not installed: libsecret-1.so.0, of the Debian package libsecret-1-0"
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
