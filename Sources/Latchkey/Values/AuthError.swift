/// Why an operation failed, and what the caller does next.
///
/// Neither ``message`` nor `description` ever holds a token, code, password, header or body.
public struct AuthError: Error, Hashable, Sendable {
    /// The kind of failure. Minor releases may add kinds.
    @nonexhaustive
    public enum Code: Hashable, Sendable {
        /// Nobody is signed in (any more). Sign in again.
        case signInRequired(SignInRequiredReason)
        /// The service cannot be reached, or has not answered. The session is kept; try later. (Where a service ends a
        /// session whose refresh token comes twice, an answer that was lost may turn out to have ended it.)
        case offline(OfflineReason)
        /// The service answers with errors of its own. The session is kept; try later.
        case serviceTrouble
        /// The service wants fewer requests. Wait for ``AuthError/retryAfter``.
        case rateLimited
        /// Another process is at work on this session and did not finish in time. Nothing is lost; try later.
        case busy
        /// The gate is locked. Unlock.
        case locked
        /// This device cannot ask for the proof that the gate wants.
        case unlockUnavailable(UnlockUnavailableReason)
        /// The service or the gate refused what was given. Correct the input.
        case refused(RefusedReason)
        /// The person said no.
        case declined
        /// The store failed. Look at its state.
        case store(StoreReason)
        /// The client was built or called wrongly. Fix the configuration; do not repeat.
        case configuration(ConfigurationReason)
        /// An answer broke the protocol. Do not repeat; look.
        case untrusted(UntrustedReason)
        /// The task was cancelled. Nothing is wrong.
        case cancelled
    }

    /// What happened.
    public var code: Code
    /// One sentence for a log or a person, naming what is wrong. Never holds a secret.
    public var message: String
    /// Which provider it concerns.
    public var provider: ProviderID?
    /// How long to wait before the next try, where the service or the engine says so.
    public var retryAfter: Duration?
    /// The service's own number of the request, to quote to its support.
    public var requestID: String?
    /// The service's own code, where it has one. A word of its protocol, never a text for people.
    public var serviceCode: String?
    /// Whether another way to unlock is configured and can be asked now: ``AuthClient/unlock(with:)`` with
    /// ``UnlockChoice/fallback``.
    public var offersFallback = false

    /// An error of its parts.
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
    /// What the caller does next.
    @nonexhaustive
    public enum Recovery: String, Hashable, Sendable {
        /// Sign in again.
        case signIn
        /// Try again later; the session is kept.
        case retryLater
        /// Unlock, or offer another way to.
        case unlock
        /// Correct what was entered, or stop.
        case correctInput
        /// Look at the store: permissions, space, damage.
        case repairStore
        /// Change the configuration or the call.
        case fixConfiguration
        /// Stop and look: somebody may be interfering.
        case investigate
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
        case .untrusted: .investigate
        case .cancelled: .none
        }
    }
}

extension AuthError: CustomStringConvertible {
    /// Code, provider and message.
    public var description: String {
        let provider = provider.map { " (\($0.name))" } ?? ""
        let request = requestID.map { " [request \($0)]" } ?? ""
        return "\(code.name)\(provider): \(message)\(request)"
    }
}
