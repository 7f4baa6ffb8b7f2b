import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyTesting

/// A provider of a made-up service: password, then a code, then tokens. It breaks exactly one promise.
struct SmallProvider: SessionRevoking {
    enum Fault: String, CaseIterable, Sendable {
        case takesAnyMethod, shortID, foreignChallenge, ignoresDecline, repeatsPassword
        case noSession, foreignAccount, refusesOffline, hidesNotSent, refusesOnLostAnswer
        case refusesOnTrouble, bringsNothing, forgetsRevocation, neverRevokes
        case forgetsSuccessor, refreshesTwice, deletesFirst, spentIsTrouble, spentIsUnexplained, neverRefreshes
        case believesPages, refusesOnEmptySuccess, misreadsRefusal, namesEachAnew, repeatsChallengeID, takesWrongCode
        case takesAnyRedirect, namesTooMuch, keepsPassword, printsAnswer, printsTypedAnswer, refusesWhenCancelled,
            asksAgain, hearsNoCancelling
        case keepsNo, neverSendsAgain, hidesAgain, namesByMethod, lastsForEver, lastsNoTime, hidesWait, sendsLostAgain
        case revokesInVain, throwsAtGone

        var clause: String {
            switch self {
            case .takesAnyMethod:
                "a method that the rules do not name is configuration(.unsupported), and nothing is sent"
            case .shortID, .foreignChallenge: "a challenge has an id of 128 bits and the configuration's binding"
            case .keepsNo: "a declined sign-in is over at the service"
            case .neverSendsAgain, .hidesAgain: "what is asked for once more is sent once more"
            case .namesByMethod: "one person has one account, however they sign in"
            case .lastsForEver, .lastsNoTime: "a token lasts from its receipt on, and neither no time nor for ever"
            case .hidesWait: "a wait that the service asks for is told"
            case .revokesInVain: "a revocation that the service could not carry out throws"
            case .throwsAtGone: "a revocation of what is gone returns"
            case .ignoresDecline: "a declined challenge is declined"
            case .repeatsPassword: "turns print neither what was typed nor a token"
            case .noSession, .foreignAccount:
                "signing in comes to a grant with a current session of this configuration"
            case .refusesOffline, .hidesNotSent:
                "a refresh that did not reach the service is no Refusal, and says that it was not sent"
            case .refusesOnLostAnswer: "a refresh whose answer is lost is no Refusal"
            case .refusesOnTrouble: "trouble of the service or of a gateway is no definite Refusal"
            case .bringsNothing: "refreshing brings a token for what is wanted"
            case .forgetsSuccessor: "three refreshes in a chain bring a token each"
            case .refreshesTwice, .deletesFirst, .sendsLostAgain: "a refresh is one POST"
            case .spentIsTrouble, .spentIsUnexplained: "a spent refresh token is answered as the rules say"
            case .neverRefreshes: "a credential refreshes, where the rules say so"
            case .believesPages: "an answer without the service's word is no definite Refusal"
            case .refusesOnEmptySuccess: "a success without a token is an error, and no Refusal"
            case .misreadsRefusal: "the refusals that the author names are of their kind"
            case .namesEachAnew, .repeatsChallengeID: "signing in twice gives the same account, and other challenges"
            case .takesWrongCode: "a wrong answer signs nobody in, and is refused as one"
            case .takesAnyRedirect: "an address that was not asked for is an error, and nothing is sent"
            case .namesTooMuch: "the rules name nothing that the provider lacks"
            case .keepsPassword: "a challenge keeps nothing that was typed"
            case .printsAnswer, .printsTypedAnswer: "errors print neither what was typed nor a token"
            case .refusesWhenCancelled, .asksAgain, .hearsNoCancelling:
                "a call that is cancelled ends, and says nothing of the service"
            case .forgetsRevocation: "a revocation that did not reach the service throws"
            case .neverRevokes: "a revocation returns when the service knows"
            }
        }
    }

    static let authority = "https://small.example.com"
    static let redirect = "small://back"
    let fault: Fault?

    var rules: ProviderRules {
        ProviderRules(
            binding: ProviderBinding(provider: "small", authority: Self.authority, client: "tests"),
            methods: fault == .namesTooMuch ? [.password, .browser, .custom] : [.password, .browser])
    }

    func begin(
        _ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext
    ) async throws -> Turn {
        guard case .signIn(let method) = request else { throw unsupported }
        switch method {
        case .password(_, let password):
            let answer = try await send("/begin", password, in: context)
            guard answer.status == 200 else {
                let words = fault == .printsTypedAnswer ? String(decoding: answer.body, as: UTF8.self) : "no"
                throw trouble(answer, words)
            }
            let shown = fault == .repeatsPassword ? password.revealText() : nil
            var challenge = challenge(.code(over: .mail, sentTo: shown), in: context)
            if fault != .hidesAgain { challenge.resendAfter = .zero }
            if fault == .keepsPassword { challenge.state = ["typed": .string(password.revealText())] }
            return .asked(challenge)
        case .browser:
            return .asked(challenge(.visit(url: Self.authority + "/visit", redirect: Self.redirect), in: context))
        default:
            guard fault == .takesAnyMethod else { throw unsupported }
            return .asked(challenge(.code(over: .mail, sentTo: nil), in: context))
        }
    }

    func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
        switch answer {
        case .declined where fault != .ignoresDecline:
            if fault != .keepsNo { _ = try await send("/cancel", Secret("all"), in: context) }
            throw AuthError(.declined, "the person declined")
        case .code(let code) where code.revealText() != "12345678" && fault != .takesWrongCode:
            throw AuthError(.refused(.wrongInput), "the code is wrong")
        case .redirected(let address)
        where !address.revealText().hasPrefix(Self.redirect + "?") && fault != .takesAnyRedirect:
            throw AuthError(.untrusted(.malformed), "the address is another one")
        case .redirected(let address) where address.revealText().split(separator: "code=").count > 2:
            throw StillOpen(AuthError(.untrusted(.redirect), "the address names two codes"))
        case .resend:
            if fault != .neverSendsAgain { _ = try await send("/again", Secret("code"), in: context) }
            return .asked(challenge)
        default: break
        }
        let first = try await send("/sign-in", Secret("code"), in: context)
        guard first.status == 200 else {
            let isOver = first.body == Array("over".utf8)
            throw isOver ? AuthError(.refused(.expired), "the sign-in is over") : trouble(first, "no")
        }
        let binding = ProviderBinding(
            provider: fault == .foreignAccount ? "other" : "small", authority: Self.authority, client: "tests")
        let isVisit = if case .visit = challenge.ask { true } else { false }
        let name = fault == .namesByMethod && isVisit ? "Ada" : "ada"
        let subject = fault == .namesEachAnew ? context.world.randomName(bytes: 16) : name
        let lasts: Duration = fault == .lastsForEver ? Lifetime.longest : fault == .lastsNoTime ? .zero : .seconds(60)
        let session = AuthSession(
            id: AuthSession.ID("one"), account: AccountID(subject: subject, of: binding),
            tokens: [.standard: AccessToken(Secret("small-access-token"), lifetime: context.lifetime(lasts))])
        return .signedIn(
            Grant(
                refreshToken: fault == .neverRefreshes ? nil : Secret(first.body), sessions: [session],
                current: AuthSession.ID(fault == .noSession ? "two" : "one")))
    }

    func refresh(
        _ credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> CredentialChange {
        guard let spent = credential.refreshToken else { throw Refusal(.definite, code: "none") }
        if fault == .deletesFirst { _ = try? await send("/session", spent, by: "DELETE", in: context) }
        let response: TransportResponse
        do {
            response = try await send("/token", spent, in: context)
        } catch let error as TransportError {
            if fault == .refusesOffline, !error.wasSent { throw Refusal(.definite, code: "offline") }
            if fault == .refusesOnLostAnswer, error.wasSent { throw Refusal(.definite, code: "lost") }
            if fault == .sendsLostAgain { _ = try await send("/token", spent, in: context) }
            throw fault == .hidesNotSent ? TransportError(error.code, wasSent: true) : error
        } catch {
            if fault == .refusesWhenCancelled { throw Refusal(.unexplained, code: "cancelled") }
            if fault == .hearsNoCancelling { await hang() }
            if fault == .asksAgain { _ = try? await send("/token", spent, in: context) }
            throw error
        }
        guard response.status == 200 else { throw refusal(response, in: context) }
        guard response.body.starts(with: Array("small-refresh".utf8)) else {
            if fault == .refusesOnEmptySuccess { throw Refusal(.unexplained, code: "empty") }
            throw AuthError(.untrusted(.malformed), "the answer holds no token")
        }
        if fault == .refreshesTwice { _ = try await send("/again", spent, in: context) }
        if fault == .bringsNothing { return CredentialChange() }
        return CredentialChange(
            refreshToken: fault == .forgetsSuccessor ? nil : Secret(response.body),
            minted: [want.session: [want.audience: AccessToken(Secret(response.body))]])
    }

    private func refusal(_ response: TransportResponse, in context: ProviderContext) -> any Error {
        let words = String(decoding: response.body, as: UTF8.self)
        if response.status == 429, fault != .refusesOnTrouble {
            let wait = RetryAfter.read(response.fields, now: context.serverNow)
            return AuthError(.rateLimited, "too many", retryAfter: fault == .hidesWait ? nil : wait)
        }
        if response.status >= 500, fault != .refusesOnTrouble {
            return AuthError(.serviceTrouble, "the service answers with \(response.status)")
        }
        switch words {
        case "spent" where fault == .spentIsTrouble: return AuthError(.serviceTrouble, "spent")
        case "spent" where fault == .spentIsUnexplained: return Refusal(.unexplained, code: "spent")
        case "banned" where fault == .misreadsRefusal: return Refusal(.unexplained, code: "banned")
        case "spent", "banned": return Refusal(.definite, code: words)
        default:
            if fault == .printsAnswer { return AuthError(.serviceTrouble, words) }
            let isBelieved = fault == .believesPages || fault == .refusesOnTrouble
            return Refusal(isBelieved ? .definite : .unexplained, code: "refused")
        }
    }

    func revoke(_ revocation: Revocation, in context: ProviderContext) async throws {
        if fault == .forgetsRevocation { return }
        let response = try await send("/revoke", Secret("all"), in: context)
        if fault == .revokesInVain, response.status >= 500 { return }
        if response.status == 404, fault != .throwsAtGone { return }
        guard response.status == 200, fault != .neverRevokes else {
            throw AuthError(.serviceTrouble, "the service does not revoke")
        }
    }

    private func trouble(_ answer: TransportResponse, _ words: String) -> AuthError {
        AuthError(
            answer.status == 429 ? .rateLimited : .serviceTrouble, words,
            retryAfter: RetryAfter.read(answer.fields, now: .distantPast))
    }

    private var unsupported: AuthError { AuthError(.configuration(.unsupported), "the service knows no such way") }

    private func send(
        _ path: String, _ body: Secret, by method: String = "POST", in context: ProviderContext
    ) async throws -> TransportResponse {
        let request = TransportRequest(method, Self.authority + path, body: Array(body.revealText().utf8))
        return try await context.transport.send(request, deadline: .seconds(10))
    }

    private func challenge(_ ask: Ask, in context: ProviderContext) -> Challenge {
        let authority = fault == .foreignChallenge ? "https://other.example.com" : Self.authority
        let id = context.world.randomName(bytes: fault == .shortID ? 4 : 16)
        return Challenge(
            id: fault == .repeatsChallengeID ? "the-same-challenge-for-everybody" : id,
            binding: ProviderBinding(provider: "small", authority: authority, client: "tests"), ask: ask)
    }
}
