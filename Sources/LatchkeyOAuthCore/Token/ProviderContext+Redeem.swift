package import Latchkey

extension ProviderContext {
    /// The longest pause for which a code is kept: many live for no more than half a minute.
    private static let longestPause = Duration.seconds(10)

    /// Sends a request that redeems the code of a redirect. A service that wants fewer requests (429) has not looked at
    /// the code, and a person would have to sign in anew: then it is sent once more, after the pause that the answer asks
    /// for, or after two seconds if it names none. After a pause of more than ten seconds the first answer stands.
    package func redeem(_ request: TransportRequest) async throws -> TransportResponse {
        let response = try await send(request)
        guard response.status == 429 else { return response }
        let pause = RetryAfter.read(response.fields, now: serverNow) ?? .seconds(2)
        guard pause <= Self.longestPause else { return response }
        try await world.clock.sleep(until: world.clock.now() + pause)
        return try await send(request)
    }
}
