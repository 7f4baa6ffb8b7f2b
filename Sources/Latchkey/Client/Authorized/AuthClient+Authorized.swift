extension AuthClient {
    /// Returns a transport that adds this client's access token to every request sent with
    /// `transport`. The token is refreshed when necessary, and once more if the resource refuses it.
    ///
    /// ```swift
    /// let api = try auth.authorized(.curl(), origins: ["https://api.example.com"])
    /// let answer = try await api.send(TransportRequest("GET", "https://api.example.com/notes"), deadline: .seconds(10))
    /// ```
    ///
    /// - Parameters:
    ///   - transport: Sends the requests. It follows no redirects, as ``HTTPTransport`` requires.
    ///   - origins: Where tokens may be sent: scheme, host and port, compared exactly. If empty,
    ///     every request is refused.
    ///   - audience: Which token to send.
    ///   - account: The account; `nil` means the account that is current at the time of each request.
    ///   - originClass: Under which name refusals by these origins are observed.
    /// - Throws: ``AuthError`` `configuration(.invalid)` for a text that is not an origin, or an
    ///   origin that is neither https nor on this machine.
    public func authorized<Base: HTTPTransport>(
        _ transport: Base, origins: [String] = [], audience: Audience = .standard, account: AccountID? = nil,
        originClass: AuthObservation.OriginClass = .resource
    ) throws(AuthError) -> AuthorizedTransport<Base> {
        var allowed: Set<String> = []
        for origin in origins { allowed.insert(try Self.origin(origin)) }
        return AuthorizedTransport(
            client: self, base: transport, origins: allowed, audience: audience, account: account,
            originClass: originClass)
    }

    private static func origin(_ text: String) throws(AuthError) -> String {
        guard let address = WebAddress(text), !address.host.isEmpty, address.path.isEmpty || address.path == "/",
            address.query == nil, address.fragment == nil
        else {
            throw AuthError(
                .configuration(.invalid),
                "An allowed origin is not of the form https://api.example.com: scheme, host and port, and no path.")
        }
        guard address.isSecure else {
            throw AuthError(
                .configuration(.invalid),
                "The allowed origin \(address.origin) uses plain http; only this machine may be reached that way.")
        }
        return address.origin
    }
}
