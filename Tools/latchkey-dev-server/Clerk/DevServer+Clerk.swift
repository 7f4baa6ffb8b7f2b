import LatchkeySystem

/// Control of the Clerk dialect, for programs that run the server themselves.
extension DevServer {
    /// The proxy address of the dialect.
    public var clerkURL: String { issuer + ClerkCall.prefix }

    /// The latest codes that the dialect sent, oldest first; at most 1,000.
    public var clerkMessages: [ClerkMessage] { state.withLock { $0.clerk.messages } }

    /// The number of sessions on all clients that are not over.
    public var clerkSessionCount: Int { state.withLock { $0.clerk.clients.all.reduce(0) { $0 + $1.signedIn.count } } }

    /// The number of clients with such a session.
    public var clerkClientCount: Int { state.withLock { $0.clerk.clients.all.count { !$0.signedIn.isEmpty } } }

    /// Changes the settings of the dialect.
    public func configureClerk(_ change: @Sendable (inout Clerk) -> Void) {
        state.withLock { change(&$0.configuration.clerk) }
    }
}
