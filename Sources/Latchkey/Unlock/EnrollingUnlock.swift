/// An authenticator that keeps something for the sessions that it protects, such as a count of wrong tries.
public protocol WithdrawingUnlock: UnlockAuthenticator {
    /// Forgets it: the sessions are gone, or the person has switched the unlock off. Succeeds if there is nothing.
    ///
    /// - Throws: ``AuthError`` with a `store` code.
    func withdraw() async throws
}

/// An authenticator that the person sets up here, and that can be taken down again, such as one that keeps what a PIN is
/// compared with.
///
/// With ``UnlockPolicy/Enrolment/offered`` the client calls ``enrol(_:)`` when the person switches the unlock on, and
/// ``WithdrawingUnlock/withdraw()`` after it was switched off, by the person or because the last account has signed out,
/// and after ``AuthClient/startOver()``. Then nothing is set up.
///
/// | Case | Required behaviour |
/// | --- | --- |
/// | Nothing is set up | ``UnlockAuthenticator/availability()`` is `notEnrolled`, and ``UnlockAuthenticator/unlock(_:)`` throws `unlockUnavailable(.notEnrolled)` |
/// | The person says no, or the process ends meanwhile | what was set up before stays as it was |
public protocol EnrollingUnlock: WithdrawingUnlock {
    /// Has the person choose a new proof, which replaces an older one, and counts as given.
    ///
    /// - Throws: As ``UnlockAuthenticator/unlock(_:)``; a `store` code if it cannot be kept.
    func enrol(_ prompt: UnlockPrompt) async throws -> UnlockGrant
}
