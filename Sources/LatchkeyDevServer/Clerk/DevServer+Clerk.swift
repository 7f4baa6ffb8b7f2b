import LatchkeyLocked

/// The Clerk dialect, for programs that run the server themselves.
extension DevServer {
    /// The proxy address by which a program reaches the dialect.
    public var clerkURL: String { issuer + ClerkCall.prefix }

    /// The newest codes that the dialect sent, oldest first: at most a thousand.
    public var clerkMessages: [ClerkMessage] { state.withLock { $0.clerk.messages } }

    /// How many sessions there are, on all clients.
    public var clerkSessionCount: Int { state.withLock { $0.clerk.clients.all.reduce(0) { $0 + $1.sessions.count } } }

    /// How many clients somebody is signed in on.
    public var clerkClientCount: Int { state.withLock { $0.clerk.clients.all.count { !$0.sessions.isEmpty } } }

    /// Changes how the dialect behaves from here on.
    public func configureClerk(_ change: @Sendable (inout Clerk) -> Void) {
        state.withLock { change(&$0.configuration.clerk) }
    }
}
