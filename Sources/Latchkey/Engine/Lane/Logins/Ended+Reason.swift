/// Why somebody must sign in again, in the record and to callers.
extension CredentialRecord.Ended.Cause {
    var reason: AuthError.SignInRequiredReason {
        switch self {
        case .interrupted: .interrupted
        case .revoked: .refused
        case .expired: .expired
        case .banned: .banned
        case .signedOut, .replaced, .other: .signedOut
        }
    }
}

extension AuthError.SignInRequiredReason {
    /// The cause that is stored for a refusal with this reason.
    var cause: CredentialRecord.Ended.Cause {
        switch self {
        case .interrupted: .interrupted
        case .expired: .expired
        case .banned: .banned
        default: .revoked
        }
    }

    var sentence: String {
        switch self {
        case .signedOut: "Nobody is signed in."
        case .refused: "The service ended the session."
        case .refusedWithoutReason: "The service refused the session, without saying that it is over."
        case .interrupted: "A refresh was interrupted, and its answer is lost for good."
        case .expired: "The session has ended and nothing can refresh it."
        case .banned: "The service has banned the account."
        case .factorRequired: "The service wants something more of the person before the session counts."
        case .notAccepted: "A resource refuses the newest token of the session."
        }
    }
}

extension AuthError {
    static var signedOut: AuthError {
        AuthError(.signInRequired(.signedOut), SignInRequiredReason.signedOut.sentence)
    }

    /// Whether the service was not reached, or has failures of its own.
    var isOutage: Bool {
        switch code {
        case .offline, .serviceTrouble: true
        default: false
        }
    }

    /// Whether it says whether the session can be used now.
    var speaksOfSession: Bool {
        switch code {
        case .signInRequired, .rateLimited: true
        default: isOutage
        }
    }
}
