extension AuthError {
    /// Why a sign-in is required.
    @nonexhaustive
    public enum SignInRequiredReason: String, CaseIterable, Hashable, Sendable {
        /// Nobody signed in, or the person signed out.
        case signedOut
        /// The service refused the session for good.
        case refused
        /// The service refused without saying why. The credential is kept and tried again at most hourly.
        case refusedWithoutReason
        /// A refresh was interrupted, and its answer is lost for good.
        case interrupted
        /// The session has ended and nothing can refresh it.
        case expired
        /// The service has banned the account.
        case banned
        /// The service wants something more of the person before the session counts, such as a second factor that it
        /// demands since. The credential is kept; signing in again asks for what is missing.
        case factorRequired
        /// A resource refuses the newest token that the service issues. Only events report this:
        /// the session continues.
        case notAccepted

        /// Those after which the session goes on: its credential is kept, its token is used while it lasts, and another
        /// one is asked for.
        static let leavingSession: Set = [refusedWithoutReason, factorRequired]
        var leavesSession: Bool { Self.leavingSession.contains(self) }
    }

    /// Why the service cannot be used.
    @nonexhaustive
    public enum OfflineReason: String, CaseIterable, Hashable, Sendable {
        /// The service cannot be reached, or did not answer in time.
        case unreachable
        /// A sign-in, or another conversation with the service, could not reach it, or got no answer in time.
        /// Whoever is signed in stays signed in.
        case signIn
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
        /// This device or this process has no way to ask.
        case missing
    }

    /// Why the input was refused.
    @nonexhaustive
    public enum RefusedReason: String, CaseIterable, Hashable, Sendable {
        /// Wrong password, code or assertion.
        case wrongInput
        /// The service does not take this password, right or not: it is too weak, known from leaks, or the one before.
        case passwordNotAccepted
        /// The code or link was already used, or is too old.
        case expired
        /// The service denied the request, or the person refused it on the service's page.
        case denied
        /// The requested scope, resource or audience is not granted.
        case scope
        /// A captcha or another proof is required first.
        case captcha
        /// A further factor is required.
        case factorRequired
        /// Another person signed in than the one that was asked for. Nothing of that sign-in is kept.
        case otherPerson
        /// Another reason; the message says which.
        case other
    }

    /// What is wrong with the store.
    @nonexhaustive
    public enum StoreReason: String, CaseIterable, Hashable, Sendable {
        /// A record cannot be read. It is kept aside, never overwritten.
        case damaged
        /// The bytes are complete, but were not written with this key: somebody changed them on purpose.
        case tampered
        /// An older state of the store was put back in place of a newer one.
        case rolledBack
        /// Another user can read or change the files.
        case insecurePermissions
        /// The location cannot be written.
        case readOnly
        /// No space is left.
        case full
        /// The session is valid but could not be stored. It stays in memory until it can be stored.
        case notDurable
        /// The store cannot be reached.
        case unavailable
        /// The change left for the store, and its answer is lost: it may have taken effect, or may still do so. Read again to
        /// know. The client does so by itself for whatever it stores.
        case unknownOutcome
        /// The record was written by a newer version of this software. It can be read but is never written.
        case newerVersion
        /// Another process holds the store's lock and did not release it in time.
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

    /// Why an answer cannot be trusted.
    @nonexhaustive
    public enum UntrustedReason: String, CaseIterable, Hashable, Sendable {
        /// The redirect's `state` is missing, or belongs to another request.
        case state
        /// The answer names another issuer.
        case issuer
        /// A signature is wrong, or its key cannot be obtained.
        case signature
        /// A claim is missing or wrong.
        case claims
        /// The `nonce` belongs to another request.
        case nonce
        /// The answer is about another person.
        case subject
        /// The redirect arrived at another address, or repeats a parameter.
        case redirect
        /// The answer does not have the form that the protocol requires.
        case malformed
        /// TLS could not verify the server's identity.
        case tls
    }
}

extension AuthError.Code {
    /// The error's stable name for logs and scripts: `signInRequired.signedOut`, `offline.unreachable`, `locked`.
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

extension AuthError.Code {
    /// Whether the person can correct what they entered, and send it again.
    package var isAboutInput: Bool { self == .refused(.wrongInput) || self == .refused(.passwordNotAccepted) }
}
