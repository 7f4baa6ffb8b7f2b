import Latchkey

/// Questions of the app's own, one after the other: the smallest presenter that an app would use.
struct Dialog: ChallengePresenter {
    func answer(_ challenge: Challenge) async throws -> Answer {
        switch challenge.ask {
        case .code(_, let sentTo): typed("Code sent to \(sentTo ?? "you"):").map { .code($0) } ?? .declined
        case .totp: typed("Code of the authenticator app:").map { .code($0) } ?? .declined
        case .password: typed("Password:").map { .password($0) } ?? .declined
        default: throw AuthError(.configuration(.unsupported), "This program cannot show that question.")
        }
    }

    /// Returns what the person types, or `nil` if they give up.
    private func typed(_ question: String) -> Secret? {
        print(question)
        return readLine().flatMap { $0.isEmpty ? nil : Secret($0) }
    }
}

extension Dialog: RefusalShowing {
    func show(_ refusal: AuthError, of challenge: Challenge) async throws { print(refusal.text(in: .english)) }
}
