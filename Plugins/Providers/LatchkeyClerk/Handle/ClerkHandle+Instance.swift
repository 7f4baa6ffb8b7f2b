public import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyOAuthCore

/// What concerns the instance and no person. These calls need nobody to be signed in.
extension ClerkHandle {
    /// Returns the settings of the instance: the fields of a sign-up, the services to sign in with, the rules for passwords,
    /// the pages of the terms. Nothing in this library needs them. They are kept for ten minutes, and for a day if the
    /// service cannot be reached.
    public func environment() async throws(AuthError) -> ClerkEnvironment {
        try await client.consult(provider.name) { [provider] context in
            let (cache, service) = (context.cache, ClerkService(provider, context, token: nil))
            let last = try await cache.value("clerk last environment \(provider.base)") {
                (Locked<JSON?>(nil), .seconds(86_400))
            }
            do {
                return try await cache.value("clerk environment \(provider.base)") {
                    let json = try await service.get("/environment")
                    last.withLock { $0 = json }
                    return (ClerkEnvironment(json), .seconds(600))
                }
            } catch {
                guard !Task.isCancelled, let last = last.withLock({ $0 }) else { throw error }
                return ClerkEnvironment(last)
            }
        }
    }

    /// Puts a mail address on the waitlist of an instance that takes new people from it only
    /// (``ClerkEnvironment/SignUpMode/waitlist``). An address that is on it already stays there. When the instance lets the
    /// person in, the service sends a mail.
    ///
    /// - Returns: The id of the entry, `wle_…` or `waitlist_…`.
    /// - Throws: `refused` if the service does not take the address, or has no waitlist.
    @discardableResult
    public func joinWaitlist(_ address: String) async throws(AuthError) -> String {
        try await client.consult(provider.name) { [provider] context in
            var service = ClerkService(provider, context, token: nil)
            service.wording = { $0.error(isSigningIn: false) }
            let answer = try await service.post("/waitlist", FormParameters(of: ["email_address": address]))
            return try JSONField(answer)["id"].string()
        }
    }
}
