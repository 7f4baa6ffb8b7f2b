public import Latchkey
import LatchkeyJSON

extension SupabaseHandle {
    /// The most waiting sign-ins that a link is tried with, the newest first.
    static let openTries = 8

    /// Takes an address that the app was opened with.
    ///
    /// | The address carries | What happens |
    /// | --- | --- |
    /// | a code | each sign-in that waits and can be meant is tried, the newest first, eight at most; only the one that takes the code is used up |
    /// | a session of the address that a waiting sign-in was begun for | the sign-in goes on with it |
    /// | a session by a change of a signed-in person's address | it takes the place of that person's session, never of another's |
    /// | a session by an invitation | the person is signed in where `expectingInvite` says so |
    /// | any other session | it is dropped, and ended at the service |
    ///
    /// - Parameters:
    ///   - address: The whole address.
    ///   - expectingInvite: Whether the app waits for somebody to accept an invitation. Nothing was begun for one, so
    ///     nothing else tells it from a link by which a stranger signs the person in to an account of the stranger's.
    /// - Throws: `refused(.other)` with ``SupabaseErrorCode/linkOfAnotherDevice`` for a code where no sign-in waits that
    ///   can be meant: nothing is sent then, and the mail's code can be typed instead. `untrusted(.subject)` with
    ///   ``SupabaseErrorCode/sessionNotAskedFor`` for a session that was dropped. What a link says that failed. In all of
    ///   these, and where the service cannot be reached, whatever waits goes on waiting.
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

        /// What the access token says. Whoever made the link may have written it, so it chooses, and proves nothing.
        var claims: AccessClaims { AccessClaims(of: Secret(members[SessionAnswer.Member.access]?.string ?? "")) }
    }

    /// Tries a code with the sign-ins that can be meant.
    private func complete(_ address: Secret) async throws(AuthError) -> SupabaseOpened {
        let waiting = try await client.pendingChallenges().reversed().filter { canTake(address, $0) }
        var refused: AuthError?
        for challenge in waiting.prefix(Self.openTries) {
            do throws(AuthError) {
                return SupabaseOpened(try await client.offer(.redirected(address), to: challenge.id))
            } catch {
                // The service compares the verifier before it uses the code up, so that another one may fit. Without a
                // code of the service, the sign-in was answered meanwhile.
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
        // A mail's link may lead elsewhere than was asked: the service uses the project's site for what it does not
        // allow.
        case .openedLink, .code(over: .mail, _): return true
        default: return false
        }
    }

    /// The sign-in that waits for a link to the address of `link`: one of its kind, else the newest.
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

    /// Takes the session that the last link of a changed address brings, in place of the one of the same person.
    ///
    /// - Returns: The session; `nil` where the link is of something else, or its person is not signed in.
    private func changeAddress(_ link: Opened) async throws(AuthError) -> AuthSession? {
        guard link.type == Callback.Mail.emailChange, let subject = link.claims.subject else { return nil }
        let person = AccountID(subject: subject, of: provider.binding)
        guard account ?? person == person, try await client.accounts().contains(where: { $0.isSignedIn(as: person) })
        else { return nil }
        let handle = SupabaseHandle(client: client, provider: provider, account: person)
        let (session, former) = try await handle.attempt { held in
            let change = try await held.adopting(LinkSession(members: link.members, service: held.service))
            return (change, (change.sessions?.first ?? held.session, held.token))
        }
        // Only now that the new one is stored: the former session would live on unseen.
        try? await handle.attempt { held in
            _ = try? await held.provider.logOut(.thisSession, former, held.service)
            return (CredentialChange(), ())
        }
        return session
    }
}

extension SupabaseHandle.Held {
    /// What a link's session changes, once the service has said whose it is. Its failures say nothing about the session
    /// that is here.
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
    /// The failure of a link's own session.
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
        // Refused without a reason, the session is kept.
        if case .signInRequired(let reason) = state { return reason == .refusedWithoutReason }
        return true
    }
}
