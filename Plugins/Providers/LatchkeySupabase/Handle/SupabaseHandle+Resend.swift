public import Latchkey

/// A message that asks a signed-in person to confirm an address or a number.
@nonexhaustive
public enum SupabaseMessage: Hashable, Sendable {
    /// The mail that confirms the account's own address.
    case signUp
    /// The text message that confirms the account's own number.
    case phone
    /// The mails that confirm a new address.
    case emailChange
    /// The text message that confirms a new number.
    case phoneChange
}

extension SupabaseHandle {
    /// Sends a message again that the person has not acted on. Its code and link replace those of the one before.
    ///
    /// A change is asked for again, as ``update(_:redirect:)`` did: the service's `/resend` knows a person by the address that
    /// they have now, so that it sends a guest nothing, and it may want a captcha.
    ///
    /// - Parameters:
    ///   - message: Which one. The address is the person's own, as the service says now.
    ///   - captcha: The answer to a captcha, if the project wants one for ``SupabaseMessage/signUp`` and
    ///     ``SupabaseMessage/phone``.
    ///   - redirect: The address that a mail's link leads to; `nil` for ``SupabaseProvider/redirect``.
    /// - Returns: The address or number that the message goes to; a number without a plus. A change of the mail address
    ///   may send a second mail, to the old one.
    /// - Throws: `rateLimited` with `retryAfter` while the service's pause between two messages lasts (60 s by default); what
    ///   was sent before stays good. `refused(.other)` without a code if nothing waits for such a message.
    @discardableResult
    public func resend(
        _ message: SupabaseMessage, captcha: Secret? = nil, redirect: String? = nil
    ) async throws(AuthError) -> String {
        if let redirect { try provider.check(redirect: redirect) }
        let redirect = redirect ?? provider.redirect
        return try await run { held in
            let user = try await held.service.user(.user(held.token))
            guard let address = user.address(of: message) else {
                throw NotSent(
                    AuthError(.refused(.other), "Nothing waits for this message.", provider: held.provider.name))
            }
            let request = ServiceRequest.resend(
                message, to: address, captcha: captcha, redirect: redirect, bearer: held.token)
            let response = try await held.service.send(request)
            // Only a change is answered with the person.
            guard message == .emailChange || message == .phoneChange else { return (held.change(user), address) }
            return (held.change(try held.service.read(response, SupabaseUser.init)), address)
        }
    }
}

extension SupabaseUser {
    /// The address that waits for `message`; `nil` if none does.
    fileprivate func address(of message: SupabaseMessage) -> String? {
        switch message {
        case .signUp: isEmailConfirmed ? nil : email
        case .phone: isPhoneConfirmed ? nil : phone
        case .emailChange: newEmail
        case .phoneChange: newPhone
        }
    }
}
