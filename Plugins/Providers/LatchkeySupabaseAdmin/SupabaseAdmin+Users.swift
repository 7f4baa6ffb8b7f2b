public import Latchkey
public import LatchkeyJSON
public import LatchkeySupabase

extension SupabaseAdmin {
    /// Returns all users, newest first. They are read page by page as you iterate.
    ///
    /// - Parameter pageSize: The number of users in one answer, 1 to 1,000. A page is held in
    ///   memory, and must fit the transport's limit (1 MiB by default, enough for several hundred ordinary users).
    public func users(pageSize: Int = 100) -> SupabaseUsers {
        SupabaseUsers(admin: self, pageSize: min(max(pageSize, 1), 1_000))
    }

    /// Fetches one user. A user who was deleted softly is still found, with `deleted_at` in their `json`, and a hash
    /// in place of the address.
    ///
    /// - Throws: `refused(.other)` with ``/LatchkeySupabase/SupabaseErrorCode/userNotFound``.
    public func user(_ id: String) async throws(AuthError) -> SupabaseUser {
        let path = try path("/admin/users", id)
        return try await run { try await user(ServiceRequest("GET", path)) }
    }

    /// Creates an account. The service sends the person no message.
    ///
    /// - Parameters:
    ///   - details: The account's details, with at least a mail address or a telephone number.
    ///     Without a password, the account has none that anybody knows.
    ///   - id: The account's id, a UUID; `nil` to let the service choose one.
    ///   - passwordHash: A hash to use instead of a password, in the form of bcrypt, Argon2 or
    ///     Firebase's scrypt, for people who come from another system.
    /// - Throws: `refused(.other)` with ``/LatchkeySupabase/SupabaseErrorCode/emailExists`` or `phoneExists`.
    @discardableResult
    public func create(
        _ details: SupabaseUserDetails, id: String? = nil, passwordHash: Secret? = nil
    ) async throws(AuthError) -> SupabaseUser {
        var body = try AdminWire.body(details)
        body[AdminWire.id] = id.map(JSON.string)
        body[AdminWire.passwordHash] = passwordHash.map { .string($0.revealText()) }
        return try await run { try await user(ServiceRequest("POST", "/admin/users", body: body)) }
    }

    /// Changes a user at once, without confirmation. **A new password ends all of the user's sessions.**
    ///
    /// - Throws: `configuration(.invalid)` for a ban whose duration is out of range;
    ///   `refused(.passwordNotAccepted)` with ``/LatchkeySupabase/SupabaseErrorCode/weakPassword``.
    @discardableResult
    public func update(_ id: String, _ details: SupabaseUserDetails) async throws(AuthError) -> SupabaseUser {
        let (path, body) = (try path("/admin/users", id), try AdminWire.body(details))
        return try await run { try await user(ServiceRequest("PUT", path, body: body)) }
    }

    /// Deletes a user and ends their sessions. Their clients learn of it at their next call.
    ///
    /// - Parameters:
    ///   - id: The user's ID.
    ///   - softly: Whether to keep the row, without address and number, so that references to it stay
    ///     valid. The account can never be used again.
    /// - Throws: `refused(.other)` with ``/LatchkeySupabase/SupabaseErrorCode/userNotFound``.
    public func delete(_ id: String, softly: Bool = false) async throws(AuthError) {
        let body: [String: JSON] = softly ? [AdminWire.softly: true] : [:]
        try await remove(ServiceRequest("DELETE", try path("/admin/users", id), body: body), missing: .userNotFound)
    }

    /// Mails an invitation. Opening its link signs the person in. You can invite a person again
    /// until their address is confirmed.
    ///
    /// - Parameters:
    ///   - email: The address to invite.
    ///   - metadata: The app's metadata for a new account.
    ///   - redirect: The address that the link leads to. The project must allow it; otherwise the
    ///     service silently uses its own site.
    /// - Throws: `refused(.other)` with ``/LatchkeySupabase/SupabaseErrorCode/emailExists``; `rateLimited`.
    @discardableResult
    public func invite(
        _ email: String, metadata: [String: JSON] = [:], redirect: String? = nil
    ) async throws(AuthError) -> SupabaseUser {
        let body = AdminWire.body(email: email, metadata: metadata)
        let query = AdminWire.query(redirect: redirect)
        return try await run { try await user(ServiceRequest("POST", "/invite", query: query, body: body)) }
    }

    /// Creates a link and its code without mailing them, for an app that sends its own mail.
    ///
    /// - Parameters:
    ///   - request: What the link is for.
    ///   - redirect: The address that the link leads to. The project must allow it; otherwise the
    ///     service silently uses its own site, and ``SupabaseLink/redirect`` says so.
    /// - Throws: `refused(.other)` with ``/LatchkeySupabase/SupabaseErrorCode/userNotFound`` or `emailExists`.
    public func link(
        _ request: SupabaseLinkRequest, redirect: String? = nil
    ) async throws(AuthError) -> SupabaseLink {
        let query = AdminWire.query(redirect: redirect)
        return try await run {
            let answer = try await service.send(
                ServiceRequest("POST", "/admin/generate_link", query: query, body: AdminWire.body(request)))
            return try service.read(answer, SupabaseLink.init)
        }
    }

    private func user(_ request: ServiceRequest) async throws -> SupabaseUser {
        try service.read(await service.send(request), SupabaseUser.init)
    }
}
