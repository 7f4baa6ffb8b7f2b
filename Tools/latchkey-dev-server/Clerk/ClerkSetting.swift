extension DevServer {
    /// A switch of the emulated Clerk instance, as its dashboard has them. The raw value is the name on the command
    /// line of the tool, `--clerk-setting NAME`.
    ///
    /// Without any, the instance is as a new development instance with several sessions on one client.
    public enum ClerkSetting: String, Hashable, Sendable, CaseIterable {
        /// A client has one session at most: a sign-in or sign-up while it has one is refused with `session_exists`.
        case singleSession = "single-session"
        /// The environment says `session_minter`, and a request for a session token must send one of that session's
        /// tokens, as `token` in the form or as `expired_token` in the query. Else it is refused with
        /// `missing_expired_token`.
        case sessionMinter = "session-minter"
        /// Every answer brings a new client token, the answers to requests for session tokens too.
        case rotation
        /// A client that is new to a person without a second factor must confirm a code by mail.
        case clientTrust = "client-trust"
        /// The instance knows no passwords.
        case passwordless
        /// A sign-up needs `legal_accepted`.
        case legal
        /// Only people with a ticket can sign up: others are refused with `sign_up_mode_restricted`.
        case restricted
        /// Nobody can sign up, but there is a waitlist: others are refused with `sign_up_restricted_waitlist`.
        case waitlist
        /// People sign in at another service only: at their company's, or at one of ``Clerk/connections``. Then there
        /// is one more account, `mae@corp.example.test`, whose company has single sign-on.
        case ssoOnly = "sso-only"
        /// A session is pending until the person has a second factor.
        case setupMFA = "setup-mfa"
        /// A session is pending until the person has another password than at the start.
        case resetPassword = "reset-password"
        /// A session is pending until an organization is chosen for it.
        case chooseOrganization = "choose-organization"
        /// Only addresses in ``Clerk/redirects`` get the nonce of a visit. All others get a callback without it.
        case allowList = "allow-list"
        /// Mail addresses are proven by a link instead of a code.
        case emailLink = "email-link"
    }
}

extension DevServer.Clerk {
    func has(_ setting: DevServer.ClerkSetting) -> Bool { settings.contains(setting) }

    var rotatesAlways: Bool { rotation == .always || has(.rotation) }
    var wantsClientTrust: Bool { asksForClientTrust || has(.clientTrust) }
    var wantsOrganization: Bool { mustChooseOrganization || has(.chooseOrganization) }
    var hasPasswords: Bool { !has(.passwordless) && !has(.ssoOnly) }
    /// The strategy that proves a mail address; `nil` if none does.
    var mailStrategy: String? { has(.ssoOnly) ? nil : has(.emailLink) ? "email_link" : "email_code" }

    /// The fields that a sign-up needs.
    var neededFields: [String] {
        requiredFields.filter { $0 != "password" || hasPasswords } + (has(.legal) ? ["legal_accepted"] : [])
    }

    /// The account of ``DevServer/ClerkSetting/ssoOnly``.
    static let employee = DevServer.ClerkUser(id: "user_mae", email: "mae@corp.example.test", password: nil)

    /// Whether a browser may be sent back to this address: one of this machine, of an app's own scheme, or one that is
    /// listed.
    func allows(redirect: String) -> Bool {
        if redirects.contains(redirect) { return true }
        let scheme = redirect.prefix { $0 != ":" }
        guard redirect.dropFirst(scheme.count).hasPrefix("://"), !scheme.isEmpty else { return false }
        if !["http", "https", "javascript", "data"].contains(scheme.lowercased()) { return true }
        return ["http://127.0.0.1:", "http://localhost:", "http://[::1]:"].contains { redirect.hasPrefix($0) }
    }

    /// Whether that address gets the nonce.
    func trusts(redirect: String) -> Bool { !has(.allowList) || redirects.contains(redirect) }
}
