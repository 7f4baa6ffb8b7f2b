/// An exchange with a service whose result would be lost if the program ended now: a refresh, the answer to a sign-in,
/// or a revocation.
public struct ExchangeUnderWay: Hashable, Sendable {
    /// The origin of the service that has not answered yet, such as `https://id.example.com`; `nil` if it has
    /// answered, and the store has not taken the answer yet.
    public var awaitedOrigin: String?

    /// Creates a description.
    public init(awaitedOrigin: String? = nil) { self.awaitedOrigin = awaitedOrigin }
}
