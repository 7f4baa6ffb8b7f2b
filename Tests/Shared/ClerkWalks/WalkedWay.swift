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

    /// What may come of it.
    enum End: Hashable, CustomStringConvertible {
        case signedIn
        /// By the name of the error's code.
        case refused(String)

        static let wrong = refused("refused.wrongInput")
        static let closed = refused("refused.denied")
        static let known = refused("refused.other")
        static let notSo = refused("configuration.invalid")
        /// The person gave up, because no link came.
        static let gaveUp = refused("declined")

        var description: String {
            switch self {
            case .signedIn: "signed in"
            case .refused(let code): code
            }
        }
    }

    /// How it has to end, from what the instance's settings say of themselves.
    func ends(for person: WalkedPerson, at instance: WalkedInstance) -> Set<End> {
        let isElsewhere = instance.has(.ssoOnly)
        let isKnown = [.password, .app, .mail].contains(person)
        let isEmployee = person == .company && isElsewhere
        let isClosed = instance.has(.restricted) || instance.has(.waitlist)
        switch self {
        // The person whom the other service names; a company's people get an account where they may.
        case .browser: return isKnown || isEmployee || !isClosed ? [.signedIn] : [.closed]
        case .enterprise where person == .company: return isEmployee || !isClosed ? [.signedIn] : [.closed]
        case .enterprise: return [.wrong]
        case .signUp where isElsewhere, .signUpWithoutPassword where isElsewhere: return [.notSo]
        // The instance looks at the address first.
        case .signUp where instance.has(.passwordless): return [isKnown ? .known : .notSo]
        case .signUp, .signUpWithoutPassword: return isClosed ? [.closed] : isKnown ? [.known] : [.signedIn]
        // A person who signs in elsewhere, or by a link, only is led there.
        case _ where isElsewhere && (isKnown || isEmployee) && self != .recover: return [.signedIn]
        case .password where instance.has(.emailLink) && person == .mail: return [.signedIn]
        case .password: return person.hasPassword && isKnown && !instance.has(.passwordless) ? [.signedIn] : [.wrong]
        case .code: return isKnown && (!instance.has(.emailLink) || person == .mail) ? [.signedIn] : [.wrong]
        case .link: return isKnown ? [.signedIn] : [.gaveUp]
        case .recover:
            let canReset = !instance.has(.passwordless) && !isElsewhere
            return isKnown && canReset ? [.signedIn] : [.wrong]
        }
    }
}
