public import Latchkey

extension OAuthProvider: SessionsGivingWay {
    /// A session that names no person gives way to every new sign-in of a person, unless each is kept apart.
    public func givesWay(_ earlier: AuthSession, to new: AuthSession) -> Bool {
        flow == .person && !keepsUnnamedApart && earlier.label == nil && SessionState(earlier.state).claims == nil
    }

    /// Returns the account of a sign-in that names no person.
    func unnamedAccount(in context: ProviderContext) -> AccountID {
        keepsUnnamedApart
            ? AccountID(subject: context.world.randomName(), of: binding) : AccountID(unnamedAt: binding)
    }
}
