public import Latchkey
public import LatchkeyJSON
public import LatchkeySupabase

extension SupabaseAdmin {
    /// Every user, the newest first, read page by page while they are asked for.
    ///
    /// - Parameter pageSize: How many users come in one answer, 1 to 1,000. A page is held in memory, and must fit what
    ///   the transport lets through (1 MiB by default, as much as several hundred ordinary users).
    public func users(pageSize: Int = 100) -> SupabaseUsers {
        SupabaseUsers(admin: self, pageSize: min(max(pageSize, 1), 1_000))
    }

    /// One user.
    ///
    /// - Throws: `refused(.other)` with ``/LatchkeySupabase/SupabaseErrorCode/userNotFound``. Somebody who was deleted
    ///   softly is still there, with `deleted_at` in their `json`.
    public func user(_ id: String) async throws(AuthError) -> SupabaseUser {
        let path = try path("/admin/users", id)
        return try await run { try await user(ServiceRequest("GET", path)) }
    }

    /// Makes an account, which nobody is told of.
    ///
    /// - Parameters:
    ///   - details: Who it is: at least a mail address or a telephone number. Without a password there is none that
    ///     anybody knows.
    ///   - id: The id that it shall have, a UUID; `nil`: one of the service's.
    ///   - passwordHash: In place of a password, as bcrypt, Argon2 or Firebase's scrypt write it: for people who come
    ///     from elsewhere.
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

    /// Changes a user at once, without asking anybody. **A new password ends all of their sessions.**
    ///
    /// - Throws: `configuration(.invalid)` for a ban that no service can count; `refused(.wrongInput)` with
    ///   ``/LatchkeySupabase/SupabaseErrorCode/weakPassword``.
    @discardableResult
    public func update(_ id: String, _ details: SupabaseUserDetails) async throws(AuthError) -> SupabaseUser {
        let (path, body) = (try path("/admin/users", id), try AdminWire.body(details))
        return try await run { try await user(ServiceRequest("PUT", path, body: body)) }
    }

    /// Deletes a user: their sessions end, and each of their clients is told at its next call.
    ///
    /// - Parameter softly: Keeps the row without its address and number, so that what refers to it stays. The account
    ///   can never be used again.
    /// - Throws: `refused(.other)` with ``/LatchkeySupabase/SupabaseErrorCode/userNotFound``.
    public func delete(_ id: String, softly: Bool = false) async throws(AuthError) {
        let body: [String: JSON] = softly ? [AdminWire.softly: true] : [:]
        try await remove(ServiceRequest("DELETE", try path("/admin/users", id), body: body), missing: .userNotFound)
    }

    /// Mails somebody an invitation; whoever opens its link is signed in. Anybody who was invited may be again, until
    /// their address is confirmed.
    ///
    /// - Parameters:
    ///   - metadata: What the app keeps of somebody new.
    ///   - redirect: Where the link leads; the project must allow it, else the service silently uses its own site.
    /// - Throws: `refused(.other)` with ``/LatchkeySupabase/SupabaseErrorCode/emailExists``; `rateLimited`.
    @discardableResult
    public func invite(
        _ email: String, metadata: [String: JSON] = [:], redirect: String? = nil
    ) async throws(AuthError) -> SupabaseUser {
        let body = AdminWire.body(email: email, metadata: metadata)
        let query = AdminWire.query(redirect: redirect)
        return try await run { try await user(ServiceRequest("POST", "/invite", query: query, body: body)) }
    }

    /// Makes a link and its code instead of mailing them: for an app that sends its own mail.
    ///
    /// - Parameters:
    ///   - request: What the link is for.
    ///   - redirect: Where the link leads; the project must allow it, else the service silently uses its own site, which
    ///     ``SupabaseLink/redirect`` tells.
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
