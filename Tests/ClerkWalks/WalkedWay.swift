import Latchkey
import LatchkeyDevServer

/// A kind of sign-in.
enum WalkedWay: String, CaseIterable, Sendable {
    case password
    case code
    case link
    case browser
    case enterprise
    case recover
    case signUp = "sign-up"
    case signUpWithoutPassword = "sign-up-without-password"

    func request(_ person: WalkedPerson) -> SignInRequest {
        let who = person.address
        return switch self {
        case .password: .signIn(.password(identifier: who, Secret(WalkedPerson.secret)))
        case .code: .signIn(.code(identifier: who, over: .mail))
        case .link: .signIn(.link(identifier: who))
        case .browser: .signIn(.browser(connection: "github"))
        case .enterprise: .signIn(.enterprise(domain: who))
        case .recover: .recover(identifier: who)
        case .signUp: .signUp(SignUpForm(identifier: who, password: Secret(WalkedPerson.secret)))
        case .signUpWithoutPassword: .signUp(SignUpForm(identifier: who))
        }
    }

    /// What an instance with these settings lets come of it.
    enum End: Equatable {
        case signedIn
        case refused
        /// The settings say nothing of it: either.
        case either
    }

    func end(for person: WalkedPerson, at instance: WalkedInstance) -> End {
        let isClosed = instance.has(.ssoOnly)
        let hasPasswords = !instance.has(.passwordless) && !isClosed
        let canJoin = person == .new && !instance.has(.restricted) && !instance.has(.waitlist)
        let isKnown = person != .new && (person != .company || isClosed)
        switch self {
        // A person who has no factor but the company's is led there, also by a password that is not looked at.
        case _ where isClosed && [.password, .code, .link, .recover].contains(self): return .either
        case .password: return isKnown && hasPasswords && person.hasPassword ? .signedIn : .refused
        case .code: return isKnown && !instance.has(.emailLink) ? .signedIn : .either
        case .link: return isKnown ? .signedIn : .refused
        // The other service knows the address.
        case .browser: return isKnown ? .signedIn : canJoin || person == .company ? .either : .refused
        case .enterprise: return person == .company ? .either : .refused
        case .recover: return isKnown && hasPasswords && person.hasPassword ? .either : .either
        case .signUp, .signUpWithoutPassword:
            if person == .company { return .either }
            if isKnown { return .refused }
            if !canJoin { return .refused }
            if isClosed { return .either }
            return self == .signUp && !hasPasswords ? .either : .signedIn
        }
    }
}
