/// Why an operation failed, and what the caller does next.
///
/// Neither ``message`` nor `description` ever contains a token, code, password, header or body.
public struct AuthError: Error, Hashable, Sendable {
    /// The kind of failure. Minor releases may add kinds.
    @nonexhaustive
    public enum Code: Hashable, Sendable {
        /// Nobody is signed in, or not any longer. Sign in again.
        case signInRequired(SignInRequiredReason)
        /// The service cannot be reached, or has not answered. The session is kept; try later. (If
        /// the service ends a session whose refresh token is used twice, a lost answer may turn out
        /// to have ended it.)
        case offline(OfflineReason)
        /// The service answers with errors of its own. The session is kept; try later.
        case serviceTrouble
        /// The service wants fewer requests. Wait for ``AuthError/retryAfter``.
        case rateLimited
        /// Another process is working on this session and did not finish in time. Nothing is lost; try later.
        case busy
        /// The sessions are locked. Unlock them.
        case locked
        /// This device cannot ask for the proof that unlocking requires.
        case unlockUnavailable(UnlockUnavailableReason)
        /// The service or the unlock refused the input. Correct it.
        case refused(RefusedReason)
        /// The person declined.
        case declined
        /// The store failed. Check its state.
        case store(StoreReason)
        /// The client was built or called incorrectly. Fix the configuration; do not repeat the call.
        case configuration(ConfigurationReason)
        /// An answer broke the protocol. Do not repeat the call. ``AuthError/mayBeAttack`` says whether to investigate.
        case untrusted(UntrustedReason)
        /// The task was cancelled. Nothing is wrong.
        case cancelled
    }

    /// The kind of failure.
    public var code: Code
    /// One sentence for a log or a person, saying what is wrong. It never contains a secret.
    public var message: String
    /// The provider that the error is about.
    public var provider: ProviderID?
    /// How long to wait before the next try, if the service or the engine says so.
    public var retryAfter: Duration?
    /// The service's own ID of the request, to quote to its support.
    public var requestID: String?
    /// The service's own code, if it has one. A word of its protocol, not text for people.
    public var serviceCode: String?
    /// What only few errors have.
    var details: Details?
    /// Whether another way to unlock is configured and can be asked now: call
    /// ``AuthClient/unlock(with:)`` with ``UnlockChoice/fallback``.
    public var offersFallback = false
    /// Whether a sign-in that was cancelled or declined goes on: its request had left, and the answer may hold the only tokens
    /// of a new session. That one is stored, and ``AuthEvent/signedIn(_:)`` tells of it. With `false` it did not happen, and
    /// will not.
    public var mayStillSucceed = false

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, provider: ProviderID? = nil, retryAfter: Duration? = nil,
        requestID: String? = nil, serviceCode: String? = nil
    ) {
        self.code = code
        self.message = message
        self.provider = provider
        self.retryAfter = retryAfter
        self.requestID = requestID
        self.serviceCode = serviceCode
    }
}

extension AuthError {
    /// A C library that is loaded when it is first needed.
    public struct Library: Hashable, Sendable {
        /// The file that the dynamic loader looks for.
        public var file: String
        /// The Debian package that has it.
        public var package: String
        /// What the loader says of it, if it is there and cannot be loaded; `nil` if it is not installed.
        public var refusal: String?

        /// Creates it.
        public init(file: String, package: String, refusal: String? = nil) {
            (self.file, self.package, self.refusal) = (file, package, refusal)
        }
    }

    /// What the caller does next.
    @nonexhaustive
    public enum Recovery: String, Hashable, Sendable {
        /// Sign in again.
        case signIn
        /// Try again later; the session is kept.
        case retryLater
        /// Unlock, or offer another way to unlock.
        case unlock
        /// Correct what was entered, or stop.
        case correctInput
        /// Check the store: permissions, space, damage.
        case repairStore
        /// Change the configuration or the call.
        case fixConfiguration
        /// Stop and investigate: somebody may be interfering.
        case investigate
        /// Tell those who run the service or the app: the service's answer cannot be used, and the next one will be alike.
        case report
        /// Nothing.
        case none
    }

    /// What the caller does next.
    public var recovery: Recovery {
        switch code {
        case .signInRequired: .signIn
        case .offline, .serviceTrouble, .rateLimited, .busy: .retryLater
        case .locked, .unlockUnavailable: .unlock
        case .refused, .declined: .correctInput
        case .store: .repairStore
        case .configuration: .fixConfiguration
        case .untrusted: mayBeAttack ? .investigate : .report
        case .cancelled: .none
        }
    }
}

extension AuthError: CustomStringConvertible {
    /// The code, provider and message.
    public var description: String {
        let provider = provider.map { " (\($0.name))" } ?? ""
        let request = requestID.map { " [request \($0)]" } ?? ""
        return "\(code.name)\(provider): \(message)\(request)"
    }
}
