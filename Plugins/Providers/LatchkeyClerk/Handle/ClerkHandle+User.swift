public import Latchkey
public import LatchkeyJSON
import LatchkeyOAuthCore

extension ClerkHandle {
    /// The person, as the service says now.
    public func me() async throws(AuthError) -> ClerkUser { try await call("GET", "/me") { try ClerkUser($0) } }

    /// Changes names; `nil` leaves one as it is, and the empty text takes it away.
    @discardableResult
    public func update(
        firstName: String? = nil, lastName: String? = nil, username: String? = nil
    ) async throws(AuthError) -> ClerkUser {
        let form = FormParameters(of: ["first_name": firstName, "last_name": lastName, "username": username])
        return try await call("PATCH", "/me", form) { try ClerkUser($0) }
    }

    /// Merges `patch` into what programs may write about the person: members that are null are removed, objects merged, all
    /// else replaced.
    @discardableResult
    public func mergeMetadata(_ patch: JSON) async throws(AuthError) -> ClerkUser {
        let text = String(decoding: patch.serialized(), as: UTF8.self)
        return try await call("PATCH", "/me/metadata", FormParameters(of: ["unsafe_metadata": text])) {
            try ClerkUser($0)
        }
    }

    /// Changes the password, or gives the account its first one.
    ///
    /// - Parameter endsOthers: Whether the person's other sessions end.
    public func changePassword(
        from current: Secret? = nil, to new: Secret, endsOthers: Bool = false
    ) async throws(AuthError) {
        let form = FormParameters(of: [
            "current_password": current?.revealText(), "new_password": new.revealText(),
            "sign_out_of_other_sessions": endsOthers ? "true" : nil,
        ])
        try await call("POST", "/me/change_password", form) { _ in }
    }

    /// Begins an authenticator app: what it is given. Nothing is asked of the person at a sign-in before
    /// ``verifyTOTP(_:)``.
    public func enrollTOTP() async throws(AuthError) -> Ask.Enrolment {
        try await call("POST", "/me/totp", FormParameters()) { answer in
            let field = JSONField(answer)
            return Ask.Enrolment(key: try field["secret"].string(), address: try field["uri"].string())
        }
    }

    /// Proves the app by a code that it shows. Returns backup codes where the service made some; they are shown once.
    @discardableResult
    public func verifyTOTP(_ code: Secret) async throws(AuthError) -> [Secret] {
        let form = FormParameters(of: ["code": code.revealText()])
        return try await call("POST", "/me/totp/attempt_verification", form) { Self.codes($0["backup_codes"]) }
    }

    /// Takes the app away.
    public func removeTOTP() async throws(AuthError) { try await call("DELETE", "/me/totp") { _ in } }

    /// Makes new backup codes, in place of those there were. They are shown once.
    public func makeBackupCodes() async throws(AuthError) -> [Secret] {
        try await call("POST", "/me/backup_codes", FormParameters()) { Self.codes($0["codes"]) }
    }

    private static func codes(_ list: JSON?) -> [Secret] {
        (list?.array ?? []).compactMap(\.string).map { Secret($0) }
    }

    /// Adds a mail address, and has a code sent there. Its id, for ``verifyEmail(_:code:)``.
    public func addEmail(_ address: String) async throws(AuthError) -> String {
        let form = FormParameters(of: ["email_address": address])
        let id = try await call("POST", "/me/email_addresses", form) { try JSONField($0)["id"].string() }
        let prepare = FormParameters(of: ["strategy": "email_code"])
        try await call("POST", path("/me/email_addresses", id, "/prepare_verification"), prepare) { _ in }
        return id
    }

    /// Proves that an address is the person's.
    public func verifyEmail(_ id: String, code: Secret) async throws(AuthError) {
        let form = FormParameters(of: ["code": code.revealText()])
        try await call("POST", path("/me/email_addresses", id, "/attempt_verification"), form) { _ in }
    }

    /// Takes an address away.
    public func removeEmail(_ id: String) async throws(AuthError) {
        try await call("DELETE", path("/me/email_addresses", id)) { _ in }
    }
}
