import LatchkeyJSON

/// What a session lacks before it is active.
extension ClerkState {
    /// The tasks in the order in which a client works on them.
    func tasks(of session: ClerkSession) -> [String] {
        guard let person = people[session.person], session.ending == nil else { return [] }
        var tasks: [String] = []
        if settings.has(.resetPassword), settings.hasPasswords, !person.hasNewPassword {
            tasks.append("reset-password")
        }
        if settings.has(.setupMFA), !person.hasSecondFactor { tasks.append("setup-mfa") }
        if settings.wantsOrganization, session.organization == nil { tasks.append("choose-organization") }
        return tasks
    }

    /// The session's status: `active`, `pending`, or how it ended.
    func status(of session: ClerkSession) -> String {
        session.ending ?? (tasks(of: session).isEmpty ? "active" : "pending")
    }
}

extension ClerkClient {
    /// The sessions that are not over.
    var signedIn: [ClerkSession] { sessions.filter { $0.ending == nil } }
}
