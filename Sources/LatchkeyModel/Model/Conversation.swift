import Latchkey

/// A sign-in, sign-up, recovery, link or step-up that has begun.
struct Conversation {
    /// Which one it is, among all of the model.
    let number: Int
    let purpose: ModelPurpose
    /// Who was signed in when it began, and did not need a new sign-in.
    let signedIn: Set<AccountID>

    /// Whether somebody is signed in now who was not when it began.
    func hasNewcomer(_ accounts: [Account]) -> Bool {
        purpose != .link && !Self.signedIn(accounts).isSubset(of: signedIn)
    }

    static func signedIn(_ accounts: [Account]) -> Set<AccountID> {
        Set(
            accounts.filter { account in
                if case .signInRequired = account.state { false } else { true }
            }.map(\.id))
    }
}

extension AuthError {
    /// Whether the challenge may be answered once more after this error, if it still waits.
    var leavesChallenge: Bool {
        switch code {
        case .refused(.wrongInput), .refused(.passwordNotAccepted), .refused(.captcha), .offline, .serviceTrouble,
            .rateLimited,
            .busy, .locked, .store:
            true
        // With a code it is the service's: that code was too old, and another one can be sent.
        case .refused(.expired): serviceCode != nil
        default: false
        }
    }

    /// Whether the service has not judged what was entered, so that it need not be typed again.
    var leavesInput: Bool {
        switch code {
        case .offline, .serviceTrouble, .rateLimited, .busy, .locked: true
        default: false
        }
    }

    /// The pause that the service demands.
    var pause: Duration? {
        guard code == .rateLimited, let retryAfter, retryAfter > .zero else { return nil }
        return retryAfter
    }
}
