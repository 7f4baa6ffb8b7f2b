import FoundationEssentials
import Latchkey
import LatchkeyJSON

/// What a conversation keeps between two turns. It is stored in the challenge and never shown. It
/// never contains a password.
struct Pending: Sendable {
    /// The method that it began with. A resend, or the answer to a captcha, continues with it.
    enum Method: String, Sendable {
        case password, signUp, code, link, recovery, anonymous, browser, enterprise, idToken, passkey, wallet
    }

    var method: Method
    /// Whether the person sets a new password at the end.
    var isRecovery = false
    /// Whether an account is created if there is none.
    var makesAccount = false
    /// The address or number that something was sent to, or that signs in.
    var identifier: String?
    /// The channel that something was sent over.
    var channel: String?
    /// The verifier that completes a link or visit.
    var verifier: Secret?
    /// The address that the browser returns to.
    var redirect: String?
    /// The metadata of a new account.
    var data: [String: JSON] = [:]
    /// The answer to a captcha, for one request.
    var captcha: Secret?
    /// The half-way session: valid, but the service still needs something, or gets something more.
    var half: JSON?
    /// The factor that is asked for.
    var factorID: String?
    /// The service's id of its own challenge.
    var challengeID: String?
    /// The wallet's chain, or the organization's domain.
    var detail: String?
    /// The account that an identity is linked to; its person must sign in.
    var subject: String?

    init(_ method: Method) { self.method = method }

    private enum Member {
        static let method = "method"
        static let isRecovery = "recovery"
        static let makesAccount = "creates"
        static let identifier = "identifier"
        static let channel = "channel"
        static let verifier = "verifier"
        static let redirect = "redirect"
        static let data = "data"
        static let captcha = "captcha"
        static let half = "session"
        static let factorID = "factor"
        static let challengeID = "challenge"
        static let detail = "detail"
        static let subject = "subject"
    }

    init(_ json: JSON) throws(AuthError) {
        guard let method = json[Member.method]?.string.flatMap(Method.init(rawValue:)) else {
            throw AuthError(.store(.damaged), "The stored sign-in is not one of this provider.")
        }
        self.init(method)
        isRecovery = json[Member.isRecovery]?.bool ?? false
        makesAccount = json[Member.makesAccount]?.bool ?? false
        identifier = json[Member.identifier]?.string
        channel = json[Member.channel]?.string
        verifier = json[Member.verifier]?.string.map { Secret($0) }
        redirect = json[Member.redirect]?.string
        data = json[Member.data]?.object ?? [:]
        captcha = json[Member.captcha]?.string.map { Secret($0) }
        half = json[Member.half]
        factorID = json[Member.factorID]?.string
        challengeID = json[Member.challengeID]?.string
        detail = json[Member.detail]?.string
        subject = json[Member.subject]?.string
    }

    var json: JSON {
        var members: [String: JSON] = [Member.method: .string(method.rawValue)]
        members[Member.isRecovery] = isRecovery ? true : nil
        members[Member.makesAccount] = makesAccount ? true : nil
        members[Member.identifier] = identifier.map(JSON.string)
        members[Member.channel] = channel.map(JSON.string)
        members[Member.verifier] = verifier.map { .string($0.revealText()) }
        members[Member.redirect] = redirect.map(JSON.string)
        members[Member.data] = data.isEmpty ? nil : .object(data)
        members[Member.captcha] = captcha.map { .string($0.revealText()) }
        members[Member.half] = half
        members[Member.factorID] = factorID.map(JSON.string)
        members[Member.challengeID] = challengeID.map(JSON.string)
        members[Member.detail] = detail.map(JSON.string)
        members[Member.subject] = subject.map(JSON.string)
        return .object(members)
    }

    /// The recipient: the service tells mail addresses and telephone numbers apart.
    var who: Identifier? { identifier.map(Identifier.init) }

    /// The name that `/verify` uses for the code that was sent.
    var codeType: String {
        guard who?.isMail != false else { return "sms" }
        return switch method {
        case .signUp: "signup"
        case .recovery: "recovery"
        default: "email"
        }
    }
}
