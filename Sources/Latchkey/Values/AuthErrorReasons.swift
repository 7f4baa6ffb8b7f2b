extension AuthError {
    /// Why a sign-in is required.
    @nonexhaustive
    public enum SignInRequiredReason: String, CaseIterable, Hashable, Sendable {
        /// Nobody signed in, or the person signed out.
        case signedOut
        /// The service refused the session for good.
        case refused
        /// The service refused without saying why; the credential is kept and tried again at most hourly.
        case refusedWithoutReason
        /// A refresh was interrupted, and its answer is lost for good.
        case interrupted
        /// The session has ended and nothing can refresh it.
        case expired
        /// The service has banned the account.
        case banned
        /// A resource refuses the newest token that the service gives. Only events say so: the session goes on.
        case notAccepted
    }

    /// Why nothing can be had from the service.
    @nonexhaustive
    public enum OfflineReason: String, CaseIterable, Hashable, Sendable {
        /// The service cannot be reached, or did not answer in time.
        case unreachable
        /// The time for which cached identity may be shown is over.
        case graceOver
    }

    /// Why an unlock cannot be asked for.
    @nonexhaustive
    public enum UnlockUnavailableReason: String, CaseIterable, Hashable, Sendable {
        /// The person has not set it up.
        case notEnrolled
        /// Too many wrong tries.
        case lockedOut
        /// What was set up has changed since, such as the enrolled fingers. Sign in again, and set it up anew.
        case invalidated
        /// This device, or this process, has no means to ask.
        case missing
    }

    /// Why what was given was refused.
    @nonexhaustive
    public enum RefusedReason: String, CaseIterable, Hashable, Sendable {
        /// Wrong password, code or assertion.
        case wrongInput
        /// A code or link that is used or too old.
        case expired
        /// The service denied the request, or the person did at the service.
        case denied
        /// The requested scope, resource or audience is not granted.
        case scope
        /// A captcha or another proof is wanted first.
        case captcha
        /// A further factor is wanted.
        case factorRequired
        /// Another reason; the message says which.
        case other
    }

    /// What is wrong with the store.
    @nonexhaustive
    public enum StoreReason: String, CaseIterable, Hashable, Sendable {
        /// A record cannot be read. It is kept aside, never overwritten.
        case damaged
        /// The bytes are whole and were not written by who holds the key: somebody changed them on purpose.
        case tampered
        /// An older state of the store was put back in place of a newer one.
        case rolledBack
        /// Somebody else may read or change the files.
        case insecurePermissions
        /// The place cannot be written.
        case readOnly
        /// No space is left.
        case full
        /// The session is good but could not be stored; it lives in memory until it can.
        case notDurable
        /// The store cannot be reached.
        case unavailable
        /// A record of a newer version of this software: read, never written.
        case newerVersion
        /// Somebody else holds the store's lock and did not let go in time.
        case lockTimeout
    }

    /// What is wrong with the configuration or the call.
    @nonexhaustive
    public enum ConfigurationReason: String, CaseIterable, Hashable, Sendable {
        /// A value is missing or has the wrong form.
        case invalid
        /// The stored credential was made by another configuration. Nothing was sent.
        case changed
        /// The provider, store or service cannot do this.
        case unsupported
        /// The service does not accept this client.
        case clientRefused
    }

    /// What about an answer cannot be trusted.
    @nonexhaustive
    public enum UntrustedReason: String, CaseIterable, Hashable, Sendable {
        /// The redirect's `state` is missing or another's.
        case state
        /// The answer names another issuer.
        case issuer
        /// A signature is wrong, or its key is not to be had.
        case signature
        /// A claim is missing or wrong.
        case claims
        /// The `nonce` is another's.
        case nonce
        /// The answer speaks of another person.
        case subject
        /// The redirect came to another address, or names a parameter twice.
        case redirect
        /// The answer does not have the form the protocol demands.
        case malformed
        /// TLS could not establish who answers.
        case tls
    }
}

extension AuthError.Code {
    /// A stable name: `signInRequired.signedOut`, `offline.unreachable`, `locked`. For logs and scripts.
    public var name: String {
        switch self {
        case .signInRequired(let reason): "signInRequired.\(reason.rawValue)"
        case .offline(let reason): "offline.\(reason.rawValue)"
        case .serviceTrouble: "serviceTrouble"
        case .rateLimited: "rateLimited"
        case .busy: "busy"
        case .locked: "locked"
        case .unlockUnavailable(let reason): "unlockUnavailable.\(reason.rawValue)"
        case .refused(let reason): "refused.\(reason.rawValue)"
        case .declined: "declined"
        case .store(let reason): "store.\(reason.rawValue)"
        case .configuration(let reason): "configuration.\(reason.rawValue)"
        case .untrusted(let reason): "untrusted.\(reason.rawValue)"
        case .cancelled: "cancelled"
        }
    }
}
