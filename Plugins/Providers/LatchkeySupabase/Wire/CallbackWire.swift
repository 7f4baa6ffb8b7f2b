import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// What the address says at which the browser arrived, or that a mail's link led to.
enum Callback: Sendable {
    /// A code. The sign-in that asked for it can complete it.
    case code(Secret)
    /// A session without a description of the person, and the kind of mail that brought it.
    case session([String: JSON], type: String?)
    /// The first of two addresses is confirmed; the other one is still to be confirmed.
    case halfConfirmed
    /// The link or visit failed.
    case failed(AuthError)

    /// The kind of mail that brought a link with a session.
    enum Mail {
        static let invite = "invite"
        static let recovery = "recovery"
        static let emailChange = "email_change"
    }

    private enum Name {
        static let error = "error"
        static let errorCode = "error_code"
        static let code = "code"
        static let message = "message"
        static let type = "type"
        static let accessDenied = "access_denied"
    }

    /// Reads the query and the fragment. The query comes first: in the fragment, reserved characters are escaped twice.
    ///
    /// - Throws: `untrusted` if it is not an address, cannot be decoded, names a parameter twice, or says nothing.
    init(_ address: Secret, provider: ProviderID) throws(AuthError) {
        guard let address = WebAddress.redirect(address.revealText()) else {
            throw AuthError(.untrusted(.redirect), "The redirect is no address.", provider: provider)
        }
        // If the address has a fragment of its own, the service appends another one.
        let last = address.fragment?.split(separator: "#", omittingEmptySubsequences: false).last
        guard let query = FormEncoding.decode(address.query ?? ""), let fragment = FormEncoding.decode(last ?? "")
        else {
            throw AuthError(.untrusted(.redirect), "The redirect cannot be decoded.", provider: provider)
        }
        for name in [Name.code, SessionAnswer.Member.access, SessionAnswer.Member.refresh]
        where query.count(of: name) > 1 || fragment.count(of: name) > 1 {
            throw AuthError(.untrusted(.redirect), "The redirect names `\(name)` twice.", provider: provider)
        }
        func value(_ name: String) -> String? { (query[name] ?? fragment[name]).flatMap { $0.isEmpty ? nil : $0 } }
        if value(Name.error) != nil || value(Name.errorCode) != nil {
            self = .failed(Self.failure(value(Name.error), value(Name.errorCode), provider))
        } else if let code = query[Name.code], !code.isEmpty {
            self = .code(Secret(code))
        } else if fragment[SessionAnswer.Member.access] != nil {
            self = .session(Self.members(of: fragment), type: fragment[Name.type])
        } else if value(Name.message) != nil {
            self = .halfConfirmed
        } else {
            throw AuthError(
                .untrusted(.malformed), "The redirect carries no `code`, no `access_token` and no `error`.",
                provider: provider)
        }
    }

    private static func members(of fragment: FormParameters) -> [String: JSON] {
        var members: [String: JSON] = [:]
        for (name, value) in fragment.pairs where !value.isEmpty {
            let isNumber = name == SessionAnswer.Member.expiresIn || name == SessionAnswer.Member.expiresAt
            members[name] = isNumber ? Int64(value).map(JSON.integer) ?? .string(value) : .string(value)
        }
        return members
    }

    private static func failure(_ error: String?, _ code: String?, _ provider: ProviderID) -> AuthError {
        let code = code.flatMap(SupabaseErrorCode.init(wire:))
        if code == .otpExpired {
            return AuthError(
                .refused(.expired), "The link was used, is too old, or was opened by a mail scanner.",
                provider: provider, serviceCode: code?.rawValue)
        }
        if let code, let known = SupabaseErrorCode.meanings[code] {
            return AuthError(known.outcome, known.sentence, provider: provider, serviceCode: code.rawValue)
        }
        // Without a code of the service, the error comes from the identity provider.
        return error == Name.accessDenied
            ? AuthError(
                .refused(.denied), "The identity provider, or the person there, said no.", provider: provider,
                serviceCode: code?.rawValue)
            : AuthError(
                .refused(.other), "The identity provider failed.", provider: provider, serviceCode: code?.rawValue)
    }
}
