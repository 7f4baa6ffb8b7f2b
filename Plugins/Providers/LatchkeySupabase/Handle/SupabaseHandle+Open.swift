public import Latchkey
import LatchkeyJSON

extension SupabaseHandle {
    /// The most waiting sign-ins that a link is tried with, newest first.
    static let openTries = 8

    /// Handles an address that the app was opened with.
    ///
    /// | The address carries | What happens |
    /// | --- | --- |
    /// | a code | it is tried with each waiting sign-in that it may belong to, newest first, eight at most; only the sign-in that takes the code is used up |
    /// | a session for the address that a waiting sign-in was started for | the sign-in continues with it |
    /// | a session from a change of a signed-in person's address | it replaces that person's session, never another person's |
    /// | a session from an invitation | the person is signed in if `expectingInvite` is `true` |
    /// | any other session | it is dropped, and ended at the service |
    ///
    /// - Parameters:
    ///   - address: The whole address.
    ///   - expectingInvite: Whether the app waits for somebody to accept an invitation. The app
    ///     started no sign-in for an invitation, so without this flag it looks like a stranger's
    ///     link that signs the person in to the stranger's account.
    /// - Throws: `refused(.other)` with ``SupabaseErrorCode/linkOfAnotherDevice`` for a code that
    ///   no waiting sign-in can belong to: nothing is sent, and the person can type the mail's code
    ///   instead. `untrusted(.subject)` with ``SupabaseErrorCode/sessionNotAskedFor`` for a session
    ///   that was dropped. The error that the link itself reports. After any of these, and if the
    ///   service cannot be reached, the waiting sign-ins keep waiting.
    public func open(_ address: Secret, expectingInvite: Bool = false) async throws(AuthError) -> SupabaseOpened {
        switch try Callback(address, provider: provider.name) {
        case .failed(let error): throw error
        case .halfConfirmed: return .halfConfirmed
        case .code: return try await complete(address)
        case .session(let members, let type):
            let link = Opened(address: address, members: members, type: type)
            if let changed = try await changeAddress(link) { return .addressChanged(changed) }
            if let challenge = try await asking(for: link) {
                return SupabaseOpened(try await client.offer(.redirected(address), to: challenge.id))
            }
            let ticket = LinkTicket(address, takesInvite: expectingInvite).ticket
            return SupabaseOpened(try await client.begin(.signIn(.ticket(ticket)), with: provider.name))
        }
    }

    /// A link with a session in it.
    private struct Opened: Sendable {
        var address: Secret
        var members: [String: JSON]
        var type: String?

        /// The access token's claims, not checked. The link's maker may have written them, so they
        /// only select a sign-in and prove nothing.
        var claims: AccessClaims { AccessClaims(of: Secret(members[SessionAnswer.Member.access]?.string ?? "")) }
    }

    /// Tries a code with the sign-ins that it may belong to.
    private func complete(_ address: Secret) async throws(AuthError) -> SupabaseOpened {
        let waiting = try await client.pendingChallenges().reversed().filter { canTake(address, $0) }
        var refused: AuthError?
        for challenge in waiting.prefix(Self.openTries) {
            do throws(AuthError) {
                return SupabaseOpened(try await client.offer(.redirected(address), to: challenge.id))
            } catch {
                // The service compares the verifier before it uses the code up, so another sign-in
                // may still fit. Without a code of the service, the sign-in was answered in the meantime.
                guard error.supabase == .badCodeVerifier || error.code == .refused(.expired) && error.supabase == nil
                else { throw error }
                refused = refused ?? error
            }
        }
        throw refused ?? provider.linkOfAnotherDevice
    }

    private func canTake(_ address: Secret, _ challenge: Challenge) -> Bool {
        guard challenge.binding == provider.binding, let pending = try? Pending(challenge.state),
            pending.verifier != nil
        else { return false }
        switch challenge.ask {
        case .visit(_, let redirect): return Conversation.isSamePlace(address, redirect)
        // A mail's link may lead to another address than the one asked for: the service uses the
        // project's site if the address is not allowed.
        case .openedLink, .code(over: .mail, _): return true
        default: return false
        }
    }

    /// Returns the sign-in that waits for a link to the address of `link`: one of the same kind, else the newest.
    private func asking(for link: Opened) async throws(AuthError) -> Challenge? {
        guard link.type != Callback.Mail.invite, link.type != Callback.Mail.emailChange, let mail = link.claims.mail
        else { return nil }
        let waiting = try await client.pendingChallenges().filter { challenge in
            guard challenge.binding == provider.binding else { return false }
            switch challenge.ask {
            case .openedLink(let recipient?), .code(over: .mail, let recipient?):
                return UserAnswer.isSame(recipient, mail)
            default: return false
            }
        }
        let isRecovery = link.type == Callback.Mail.recovery
        return waiting.last { (try? Pending($0.state))?.isRecovery == isRecovery } ?? waiting.last
    }

    /// Replaces the person's session with the one that the last link of an address change brings.
    ///
    /// - Returns: The session; `nil` if the link is about something else, or its person is not signed in.
    private func changeAddress(_ link: Opened) async throws(AuthError) -> AuthSession? {
        guard link.type == Callback.Mail.emailChange, let subject = link.claims.subject else { return nil }
        let person = AccountID(subject: subject, of: provider.binding)
        // A handle without an account takes the link of any person who is signed in.
        guard account == nil || account == person,
            try await client.accounts().contains(where: { $0.isSignedIn(as: person) })
        else { return nil }
        let (session, former) = try await attempt(person) { held in
            let change = try await held.adopting(LinkSession(members: link.members, service: held.service))
            return (change, (change.sessions?.first ?? held.session, held.token))
        }
        // Only now that the new session is stored: the former one would otherwise stay alive unseen.
        try? await attempt(person) { held in
            _ = try? await held.provider.logOut(.thisSession, former, held.service)
            return (CredentialChange(), ())
        }
        return session
    }
}

extension SupabaseHandle.Held {
    /// Returns what a link's session changes, after the service has said whose it is. Errors say
    /// nothing about the session that is here.
    fileprivate func adopting(_ link: LinkSession) async throws -> CredentialChange {
        do {
            let (user, response) = try await link.person()
            let answer = try link.answer(user, response)
            guard AccountID(subject: answer.subject, of: provider.binding) == session.account else {
                throw await link.dropped("The link is another person's than it says")
            }
            return try change(answer)
        } catch let failure as SupabaseFailure {
            throw NotSent(failure.ofLink(provider.name))
        } catch let error as AuthError {
            throw NotSent(error)
        }
    }
}

extension SupabaseFailure {
    /// The error for a link's own session.
    fileprivate func ofLink(_ provider: ProviderID) -> AuthError {
        var error = authError(provider)
        guard case .signInRequired(let reason) = error.code else { return error }
        guard reason != .banned else {
            error.code = .refused(.denied)
            return error
        }
        error.code = .refused(.expired)
        error.message = "The session that the link brought is over."
        return error
    }
}

extension Account {
    fileprivate func isSignedIn(as person: AccountID) -> Bool {
        guard id == person else { return false }
        // A session that was refused without a reason is kept.
        if case .signInRequired(let reason) = state { return reason == .refusedWithoutReason }
        return true
    }
}
