public import Latchkey

/// Something that happened, for the security log: who, what, how it ended, why.
///
/// No field takes text that is written as it is. Accounts and devices are hashed, and everything else comes from a
/// closed set. So a token, code or password cannot get into the log, not even by mistake.
public struct AuditEvent: Hashable, Sendable {
    /// What happened.
    public var action: Action
    /// The person it happened to; hashed.
    public var account: AccountID?
    /// Who did it, if that was somebody else, such as an administrator; hashed.
    public var actor: AccountID?
    /// The provider. A name of more than 24 characters is hashed, since it may be no name.
    public var provider: ProviderID?
    /// How the person signed in.
    public var method: SignInMethod.Kind?
    /// The device it is about, if that is another one than this; hashed.
    public var device: Device?
    /// How it ended.
    public var result: Result
    /// Why.
    public var reason: AuditReason?

    /// Creates an event.
    public init(
        _ action: Action, of account: AccountID? = nil, by actor: AccountID? = nil, at provider: ProviderID? = nil,
        method: SignInMethod.Kind? = nil, device: Device? = nil, result: Result = .done, reason: AuditReason? = nil
    ) {
        (self.action, self.account, self.actor, self.provider) = (action, account, actor, provider)
        (self.method, self.device, self.result, self.reason) = (method, device, result, reason)
    }

    /// What happened. The first group comes from a client by itself, the others only from the app.
    @nonexhaustive
    public enum Action: String, CaseIterable, Sendable {
        /// A sign-in was tried; an account's session is there; the account was signed out here.
        case signIn, signedIn, signedOut
        /// The service was told of a sign-out; a refresh was refused.
        case revocation, refresh
        /// The person must sign in again; a resource wants a stronger proof.
        case signInRequired, stepUpRequired
        /// A person who is signed in tried to add a way to sign in or a factor; a stronger proof was tried.
        case link, stepUp
        /// The sessions were locked or unlocked; too many wrong tries; what unlocks them has changed.
        case locked, unlocked, lockedOut, unlockInvalidated
        /// A proof to unlock was wrong; every session was ended because nobody could give it.
        case unlockRefused, startedOver

        /// An account was made or removed, or its address was changed.
        case accountCreated, accountDeleted, addressChanged
        /// What the person signs in with was changed.
        case passwordChanged, passkeyAdded, passkeyRemoved, factorAdded, factorRemoved
        /// A recovery code was made or used.
        case recoveryCreated, recoveryUsed
        /// Another identity was joined to the account, or taken from it.
        case identityLinked, identityUnlinked
        /// A device was trusted, or is not trusted any longer; a session elsewhere was ended.
        case deviceTrusted, deviceForgotten, sessionEnded
        /// Somebody was given or denied something, or it was taken away.
        case accessGranted, accessDenied, accessWithdrawn
        /// Data of the account left the app.
        case dataExported
        /// The app saw something that should not happen.
        case suspicion
    }

    /// How it ended.
    public enum Result: String, CaseIterable, Sendable {
        /// It was done.
        case done
        /// Somebody refused it: the service, the person, or a rule.
        case refused
        /// It could not be done.
        case failed
        /// It is not decided yet.
        case open
    }

    /// A device, by any ID that the app has for it.
    public struct Device: Hashable, Sendable {
        let id: String

        /// Wraps an ID, of which only a hash is ever written.
        public init(_ id: String) { self.id = id }
    }
}

extension AuditEvent.Device: CustomStringConvertible, CustomReflectable {
    /// Not the ID.
    public var description: String { "device" }
    /// Empty, so that `dump` does not show the ID.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
