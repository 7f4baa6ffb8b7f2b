public import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

extension ClerkHandle {
    /// Adds a telephone number, such as `+12015550100`, and sends a code to it. Returns the id for
    /// ``verifyPhone(_:code:)``.
    ///
    /// - Parameters:
    ///   - number: The number in international form, with a plus sign.
    ///   - isForSecondFactor: Whether codes to the number may serve as a second factor.
    public func addPhone(_ number: String, isForSecondFactor: Bool = false) async throws(AuthError) -> String {
        let form = FormParameters(of: [
            "phone_number": number, "reserved_for_second_factor": isForSecondFactor ? "true" : nil,
        ])
        let handle = try await ofOne()
        let id = try await handle.call("POST", "/me/phone_numbers", form) { try JSONField($0)["id"].string() }
        let prepare = FormParameters(of: ["strategy": "phone_code"])
        try await handle.call("POST", path("/me/phone_numbers", id, "/prepare_verification"), prepare) { _ in }
        return id
    }

    /// Verifies a telephone number with the code that was sent to it.
    public func verifyPhone(_ id: String, code: Secret) async throws(AuthError) {
        let form = FormParameters(of: ["code": code.revealText()])
        try await call("POST", path("/me/phone_numbers", id, "/attempt_verification"), form) { _ in }
    }

    /// Removes a telephone number.
    public func removePhone(_ id: String) async throws(AuthError) {
        try await call("DELETE", path("/me/phone_numbers", id)) { _ in }
    }

    /// Makes a verified mail address or number the primary one of its kind.
    @discardableResult
    public func makePrimary(email: String? = nil, phone: String? = nil) async throws(AuthError) -> ClerkUser {
        for id in [email, phone].compactMap(\.self) { _ = try path("", id) }
        let form = FormParameters(of: ["primary_email_address_id": email, "primary_phone_number_id": phone])
        return try await call("PATCH", "/me", form) { try ClerkUser($0) }
    }

    /// Starts connecting an account at another service, such as `google`. Returns the page for the
    /// person to visit. The page returns to `redirect`; see the `external_accounts` of ``me()`` for the result.
    public func connectAccount(_ connection: String, redirect: String) async throws(AuthError) -> String {
        let strategy = connection.hasPrefix("oauth_") ? connection : "oauth_\(connection)"
        let form = FormParameters(of: ["strategy": strategy, "redirect_url": redirect])
        return try await call("POST", "/me/external_accounts", form) { [provider] answer in
            let page = try JSONField(answer)["verification"]["external_verification_redirect_url"].string()
            guard WebAddress(page)?.isSecure == true else {
                throw provider.error(.untrusted(.malformed), "The service names no page that can be visited.")
            }
            return page
        }
    }

    /// Sets the person's picture: a JPEG, PNG, GIF or WebP of at most 10 MiB.
    public func setImage(_ image: [UInt8], type: String) async throws(AuthError) {
        guard ["image/jpeg", "image/png", "image/gif", "image/webp"].contains(type), image.count <= 10 << 20 else {
            throw provider.error(.configuration(.invalid), "A picture is a JPEG, PNG, GIF or WebP of at most 10 MiB.")
        }
        try await run { service, session in
            let border = "latchkey-\(service.context.world.randomName())"
            let head = """
                --\(border)\r\nContent-Disposition: form-data; name="file"; filename="image"\r\nContent-Type: \(type)\r\n\r\n
                """
            let body = Array(head.utf8) + image + Array("\r\n--\(border)--\r\n".utf8)
            _ = try await service.send(
                "POST", "/me/profile_image", FormParameters(of: ["_clerk_session_id": session.id.value]), body: body,
                type: "multipart/form-data; boundary=\(border)")
        }
    }

    /// Removes the picture.
    public func removeImage() async throws(AuthError) { try await call("DELETE", "/me/profile_image") { _ in } }

    /// Removes an account at another service with which the person can sign in.
    public func removeExternalAccount(_ id: String) async throws(AuthError) {
        try await call("DELETE", path("/me/external_accounts", id)) { _ in }
    }

    /// Removes the password, if there is another way to sign in.
    public func removePassword(_ current: Secret) async throws(AuthError) {
        let form = FormParameters(of: ["current_password": current.revealText()])
        try await call("POST", "/me/remove_password", form) { _ in }
    }

    /// Deletes the person's account at the service and signs out here. This cannot be undone.
    ///
    /// - Throws: `refused` if the instance does not let people delete their accounts, or wants a proof first.
    public func deleteAccount() async throws(AuthError) {
        let handle = try await ofOne()
        try await handle.call("DELETE", "/me") { _ in }
        try await client.signOut(of: handle.account)
    }
}
