public import Latchkey
public import LatchkeyJSON
import LatchkeyOAuthCore

extension ClerkHandle {
    /// Fetches the person's current description.
    public func me() async throws(AuthError) -> ClerkUser { try await call("GET", "/me") { try ClerkUser($0) } }

    /// Changes names. `nil` leaves a name as it is; an empty string removes it.
    @discardableResult
    public func update(
        firstName: String? = nil, lastName: String? = nil, username: String? = nil
    ) async throws(AuthError) -> ClerkUser {
        let form = FormParameters(of: ["first_name": firstName, "last_name": lastName, "username": username])
        return try await call("PATCH", "/me", form) { try ClerkUser($0) }
    }

    /// Merges `patch` into the person's unsafe metadata, which programs may write. Members that are
    /// null are removed, objects are merged, and everything else is replaced.
    @discardableResult
    public func mergeMetadata(_ patch: JSON) async throws(AuthError) -> ClerkUser {
        let text = String(decoding: patch.serialized(), as: UTF8.self)
        return try await call("PATCH", "/me/metadata", FormParameters(of: ["unsafe_metadata": text])) {
            try ClerkUser($0)
        }
    }

    /// Changes the password, or sets the account's first one.
    ///
    /// - Parameters:
    ///   - current: The password that they have; `nil` if the account has none.
    ///   - new: The password that they will have.
    ///   - endsOthers: Whether the person's other sessions end.
    public func changePassword(
        from current: Secret? = nil, to new: Secret, endsOthers: Bool = false
    ) async throws(AuthError) {
        let form = FormParameters(of: [
            "current_password": current?.revealText(), "new_password": new.revealText(),
            "sign_out_of_other_sessions": endsOthers ? "true" : nil,
        ])
        try await call("POST", "/me/change_password", form) { _ in }
    }

    /// Starts adding an authenticator app. Returns what to show in it. Sign-ins do not ask for it
    /// before ``verifyTOTP(_:)`` has succeeded.
    public func enrollTOTP() async throws(AuthError) -> Ask.Enrolment {
        try await call("POST", "/me/totp", FormParameters()) { answer in
            let field = JSONField(answer)
            return Ask.Enrolment(key: try field["secret"].string(), address: try field["uri"].string())
        }
    }

    /// Verifies the authenticator app with a code that it shows. Returns backup codes if the
    /// service made some; show them now, since they are given only once.
    @discardableResult
    public func verifyTOTP(_ code: Secret) async throws(AuthError) -> [Secret] {
        let form = FormParameters(of: ["code": code.revealText()])
        return try await call("POST", "/me/totp/attempt_verification", form) { Self.codes($0["backup_codes"]) }
    }

    /// Removes the authenticator app.
    public func removeTOTP() async throws(AuthError) { try await call("DELETE", "/me/totp") { _ in } }

    /// Makes new backup codes, which replace the old ones. Show them now, since they are given only once.
    public func makeBackupCodes() async throws(AuthError) -> [Secret] {
        try await call("POST", "/me/backup_codes", FormParameters()) { Self.codes($0["codes"]) }
    }

    private static func codes(_ list: JSON?) -> [Secret] {
        (list?.array ?? []).compactMap(\.string).map { Secret($0) }
    }

    /// Adds a mail address and sends a code to it. Returns the id for ``verifyEmail(_:code:)``.
    public func addEmail(_ address: String) async throws(AuthError) -> String {
        let form = FormParameters(of: ["email_address": address])
        let handle = try await ofOne()
        let id = try await handle.call("POST", "/me/email_addresses", form) { try JSONField($0)["id"].string() }
        let prepare = FormParameters(of: ["strategy": "email_code"])
        try await handle.call("POST", path("/me/email_addresses", id, "/prepare_verification"), prepare) { _ in }
        return id
    }

    /// Verifies a mail address with the code that was sent to it.
    public func verifyEmail(_ id: String, code: Secret) async throws(AuthError) {
        let form = FormParameters(of: ["code": code.revealText()])
        try await call("POST", path("/me/email_addresses", id, "/attempt_verification"), form) { _ in }
    }

    /// Removes a mail address.
    public func removeEmail(_ id: String) async throws(AuthError) {
        try await call("DELETE", path("/me/email_addresses", id)) { _ in }
    }
}
