extension AuthObservation {
    /// A group of origins in which refusals are counted. The app names it in
    /// ``AuthClient/authorized(_:origins:audience:account:originClass:)``.
    ///
    /// Only a literal makes one, so there are no more than the program's source has.
    public struct OriginClass: Hashable, Sendable, ExpressibleByStringLiteral {
        /// The name.
        public let name: String

        /// Resources whose class the app did not name.
        public static let resource: OriginClass = "resource"
        /// The identity services themselves.
        public static let service: OriginClass = "service"

        /// Wraps a literal name.
        public init(stringLiteral name: StaticString) { self.name = "\(name)" }
    }

    /// Why a request was refused for lack of authorization, as far as the client can tell.
    @nonexhaustive
    public enum RefusalCause: String, CaseIterable, Sendable {
        /// The token had ended by this machine's clock when the answer came.
        case expired
        /// The token was about to end, and could not be refreshed in time. The resource's clock may be ahead.
        case stale
        /// The token was fresh by this machine's clock: it was revoked, is meant for another resource, or a clock is
        /// wrong.
        case fresh
        /// The client had another token by then, or none: it was refreshed, or the account signed out, while the
        /// request was under way.
        case superseded
        /// The token was good, but the resource demands more scopes or a stronger proof. It need not be a 401.
        case insufficient
        /// The token was the answer to a refusal by the same origin, and is refused too.
        case notAccepted
        /// The resource wants no token, but another proof, such as `Basic`: no newer token would help.
        case otherwise
        /// The identity service answered 401 to what a provider sent: a password, a code, a refresh token, or the
        /// client's own proof.
        case credential
    }

    /// Why the ID token of a refresh was not used.
    @nonexhaustive
    public enum IDTokenFault: String, CaseIterable, Sendable {
        /// No key that the service publishes has made the signature, or the algorithm is not allowed.
        case signature
        /// The keys could not be fetched, or none of them fits.
        case keys
        /// Its times do not fit the service's clock.
        case time
        /// Anything else: it cannot be read, or has another nonce.
        case content
    }

    /// What work on a credential waits for.
    @nonexhaustive
    public enum Lock: String, CaseIterable, Sendable {
        /// Its turn among the tasks of this process.
        case queue
        /// The store's lock, which keeps other processes out. Stores without one are not observed.
        case store
    }

    /// How a wait for a turn ended.
    @nonexhaustive
    public enum LockOutcome: String, CaseIterable, Sendable {
        /// The turn came.
        case acquired
        /// It did not come in time.
        case busy
        /// The lock could not be taken.
        case failed
    }

    /// What a person who is signed in is asked for more.
    public enum FurtherProof: String, CaseIterable, Sendable {
        /// A further way to sign in, or a factor (``AuthClient/link(_:account:options:asking:)``).
        case link
        /// A stronger proof than the session has (``AuthClient/stepUp(_:account:options:asking:)``).
        case stepUp
    }

    /// Who signed in where a sign-in had been required.
    public enum Returning: String, CaseIterable, Sendable {
        /// The account for which it was required.
        case sameAccount
        /// Another account, which took the place of the current one.
        case otherAccount
    }

    /// Where the first token came from.
    @nonexhaustive
    public enum TokenSource: String, CaseIterable, Sendable {
        /// It was stored, and still good.
        case stored
        /// It had to be refreshed.
        case refreshed
        /// The person signed in first.
        case signedIn
    }

    /// How a person proved that they are there: ``UnlockGrant/method``, as one of a closed set.
    @nonexhaustive
    public enum UnlockKind: String, CaseIterable, Sendable {
        /// A finger, a face.
        case biometrics
        /// The device's own passcode.
        case passcode
        /// A PIN of the app.
        case pin
        /// A passphrase.
        case passphrase
        /// A code from a sheet of paper.
        case recoveryCode
        /// Any other name.
        case other

        init(_ grant: UnlockGrant) { self = UnlockKind(rawValue: grant.method) ?? .other }
    }
}
