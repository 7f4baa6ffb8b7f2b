import Latchkey
public import LatchkeyModel

/// How long a browser stays signed in.
public struct BrowserSessionLimits: Hashable, Sendable {
    /// The longest time from the first sign-in in a browser, whatever the person does. Default: 30 days.
    public var absolute = Duration.seconds(30 * 86_400)
    /// The longest time without a request. Default: 7 days.
    public var idle = Duration.seconds(7 * 86_400)
    /// How long the pages of a visitor who is not signed in can be used. Default: 1 hour.
    public var guest = Duration.seconds(3_600)

    /// Creates the default limits.
    public init() {}
}

/// What the app decides about its sign-in pages.
public struct WebSignInOptions: Sendable {
    /// The app's name, for the pages' titles.
    public var name: String
    /// The origin that browsers see, such as `https://notes.example.com`, without a slash at its end.
    public var origin: String
    /// The path that the pages are below. Default: `/auth`.
    public var path = "/auth"
    /// Where a person goes on after signing in, if the page that asked for it did not say. Default: `/`.
    public var home = "/"
    /// The cookie's name. Its prefix makes browsers take it from this host over a secure connection only (RFC 6265bis,
    /// section 4.1.3.2). Default: `__Host-session`.
    public var cookie = "__Host-session"
    /// What the forms offer.
    public var model = ModelOptions()
    /// How long a browser stays signed in.
    public var limits = BrowserSessionLimits()
    /// How much of the store visitors who are not signed in may fill.
    public var guests = GuestLimits()
    /// The most browsers whose clients are kept in memory. The one that was not used for the longest time makes room
    /// for another; no visitor who is not signed in takes the room of one who is. Default: 2,000.
    public var openLimit = 2_000
    /// How long a client without a request is kept in memory. It is made anew from the store. Default: 10 minutes.
    public var openTime = Duration.seconds(600)

    /// Creates the default options for an app called `name` at `origin`.
    public init(name: String, origin: String) {
        (self.name, self.origin) = (name, origin)
    }
}
