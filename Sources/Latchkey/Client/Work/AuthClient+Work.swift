extension AuthClient {
    /// A sequence of permissions to work, for queues that send in the background. A worker gets one
    /// for each piece of work, while the current account is signed in, unlocked and not offline.
    ///
    /// ```swift
    /// let api = try auth.authorized(.curl(), origins: ["https://api.example.com"])
    /// for await leave in auth.whenSignedIn {
    ///     let event = try await queue.first()
    ///     switch await leave.send(event.request, over: api, within: .seconds(30)) {
    ///     case .done: try queue.remove(event)
    ///     case .later: break
    ///     case .refused(let why): try queue.setAside(event, why)
    ///     }
    /// }
    /// ```
    ///
    /// Otherwise the worker waits. See ``WorkLeaves`` for what it waits for.
    public var whenSignedIn: WorkLeaves { WorkLeaves(engine: engine, account: nil) }

    /// The same for one account, whichever account is the current one.
    public func whenSignedIn(as account: AccountID) -> WorkLeaves { WorkLeaves(engine: engine, account: account) }
}
