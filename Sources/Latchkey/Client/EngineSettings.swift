/// The engine's deadlines and intervals. The defaults suit interactive programs and servers alike.
public struct EngineSettings: Sendable {
    /// When tokens are refreshed.
    public enum RefreshPolicy: Sendable {
        /// Shortly before they end, by the client's one sleeping task.
        case ahead
        /// When a caller asks for one. For short-lived programs.
        case onDemand
    }

    /// What a caller gets while a token is stale (``leeway``) and has not ended.
    public enum StaleTokens: Sendable {
        /// The new token, once it is stored.
        case refreshedFirst
        /// The stale token at once, and one refresh runs beside its callers.
        ///
        /// That is so if the token lasts for `least` and for as long as the caller asked; otherwise the caller
        /// waits for the new one. A caller that forces a refresh, or whose token a resource refused, waits too,
        /// and so does everybody where people share a credential (``ProviderRules/sharesCredential``).
        ///
        /// A program that ends by itself ends in ``AuthClient/run(isolation:_:)`` or
        /// ``AuthClient/finish(within:)``, which wait until the new session is stored. At a service that ends the
        /// session when a refresh token is used twice (``ProviderRules/RefreshRule/killsFamily``), a program that
        /// ends too early loses the session, so there the refresh comes first with ``RefreshPolicy/onDemand``.
        case handedOut(lasting: Duration)
    }

    /// Which accounts of the store the client reads.
    public enum AccountReading: Sendable {
        /// All of them, at the first use. For the accounts of one person.
        case all
        /// Each when a call names it. For a server with a store of very many people's accounts, where the first token of one
        /// must not wait for the records of all.
        ///
        /// A client knows an account from then on, follows its changes and refreshes its tokens; ``AuthClient/accounts()``
        /// and ``AuthClient/restore()`` return those, and ``AuthClient/storedAccounts(from:atMost:)`` all that the store
        /// holds. A sign-in does not make its account the current one, nor does a sign-out another: a call that names
        /// no account fails with `signInRequired(.signedOut)`, unless ``AuthClient/switchAccount(to:)`` has chosen. Events tell of known
        /// accounts only. What the service is still owed of another account's sign-out, it is told once the account is
        /// named, or by ``AuthClient/settleRevocations()``. There can be no unlock.
        case whenNamed
    }

    /// When tokens are refreshed. Default: ``RefreshPolicy/ahead``.
    public var refresh = RefreshPolicy.ahead
    /// How long one request may take that can be sent again without a loss. Default 10 seconds, at most 120.
    ///
    /// These are: documents, keys, nonces and what is said of a person (``ProviderContext/lookUp(_:isOptional:)``); the code for
    /// another device, which spends nothing before it is approved; a refresh whose token the service takes again (every
    /// ``ProviderRules/RefreshRule`` but ``ProviderRules/RefreshRule/killsFamily``), also where it mints; a
    /// revocation, which stays owed until the service has confirmed it. For a refresh it counts from when the request is
    /// noted in the store.
    public var requestDeadline = Duration.seconds(10)
    /// How long one request may take that spends something: giving up on it may lose what the service grants. Default 60
    /// seconds; a value below ``requestDeadline`` counts as ``requestDeadline``.
    ///
    /// These are: every request of a conversation that is no look-up, such as the exchange of a code, the poll for a device, a
    /// one-time code, a password, a passkey, a sign-up, a factor; a provider's own operation
    /// (``AuthClient/perform(as:at:replay:shown:_:)``); the revocation of tokens that are refused at the sign-in; a refresh at
    /// a service that ends the whole session when a refresh token is used twice
    /// (``ProviderRules/RefreshRule/killsFamily``); a look-up that the answer to one of them waits for. While such a request
    /// uses the session's token, its note in the store is renewed, so if the process dies, another one waits no longer than
    /// ``requestDeadline``.
    public var familyDeadline = Duration.seconds(60)
    /// How long a caller waits for a token once its request has been sent. After that it gets the
    /// current token if that is still valid, otherwise `offline`. The answer is still awaited and
    /// stored, and reported as an event. Default 10 seconds.
    public var patience = Duration.seconds(10)
    /// How long to wait for another process that is refreshing. Default 20 seconds.
    public var lockDeadline = Duration.seconds(20)
    /// How long before its end a token counts as stale, or a quarter of its lifetime if that is
    /// shorter. Default 5 minutes.
    public var leeway = Duration.seconds(300)
    /// What a caller gets while a token is stale. Default: ``StaleTokens/refreshedFirst``.
    public var staleTokens = StaleTokens.refreshedFirst
    /// How long before a session's end the engine warns of it (``SessionLimits``), or a quarter of what
    /// the session lasts if that is shorter. Default 5 minutes.
    public var expiryWarning = Duration.seconds(300)
    /// How long cached identity may be shown without contact with the service. Default 7 days.
    public var offlineGrace = Duration.seconds(7 * 86_400)
    /// How long a stored challenge without its own expiry can be answered. Default 10 minutes.
    public var challengeLifetime = Duration.seconds(600)
    /// How often a credential that the service refused without a reason is tried again. Default 1 hour.
    public var unexplainedRetry = Duration.seconds(3_600)
    /// Whether the client listens for changes that other processes make to the store, if the store
    /// reports them. If not, the client sees them the next time it reads the store. Default:
    /// `true`. Short-lived programs can turn it off.
    public var followsStore = true
    /// Whether what services' documents say is kept in the store (``ServiceDocuments``), so that the next process need not
    /// ask for them. Default: `true`.
    public var keepsDocuments = true

    /// Which accounts of the store the client reads. Default: ``AccountReading/all``.
    public var accounts = AccountReading.all

    /// Creates the default settings.
    public init() {}
}
