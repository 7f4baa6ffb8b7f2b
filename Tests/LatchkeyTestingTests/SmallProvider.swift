import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyTesting

/// A provider of a made-up service: password, then a code, then tokens. It breaks exactly one promise.
struct SmallProvider: SessionRevoking {
    enum Fault: String, CaseIterable, Sendable {
        case takesAnyMethod, shortID, foreignChallenge, ignoresDecline, takesForeignChallenge, repeatsPassword
        case noSession, foreignAccount, takesForeignCredential, refusesOffline, hidesNotSent, refusesOnLostAnswer
        case refusesOnTrouble, bringsNothing, forgetsRevocation, neverRevokes

        var clause: String {
            switch self {
            case .takesAnyMethod:
                "a method that the rules do not name is configuration(.unsupported), and nothing is sent"
            case .shortID, .foreignChallenge: "a challenge has an id of 128 bits and the configuration's binding"
            case .ignoresDecline: "a declined challenge is declined"
            case .takesForeignChallenge:
                "a challenge of another configuration is configuration(.changed), and nothing is sent"
            case .repeatsPassword: "turns print neither what was typed nor a token"
            case .noSession, .foreignAccount:
                "signing in comes to a grant with a current session of this configuration"
            case .takesForeignCredential:
                "a credential of another configuration is configuration(.changed), and nothing is sent"
            case .refusesOffline, .hidesNotSent:
                "a refresh that did not reach the service is no Refusal, and says that it was not sent"
            case .refusesOnLostAnswer: "a refresh whose answer is lost is no Refusal"
            case .refusesOnTrouble: "trouble of the service or of a gateway is no definite Refusal"
            case .bringsNothing: "refreshing brings a token for what is wanted"
            case .forgetsRevocation: "a revocation that did not reach the service throws"
            case .neverRevokes: "a revocation returns when the service knows"
            }
        }
    }

    static let authority = "https://small.example.com"
    let fault: Fault?
    let rules = ProviderRules(
        binding: ProviderBinding(provider: "small", authority: authority, client: "tests"), methods: [.password])

    func begin(
        _ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext
    ) async throws -> Turn {
        guard case .signIn(.password(_, let password)) = request else {
            guard fault == .takesAnyMethod else {
                throw AuthError(.configuration(.unsupported), "the service knows passwords only")
            }
            return .asked(challenge(showing: nil, in: context))
        }
        return .asked(challenge(showing: fault == .repeatsPassword ? password.revealText() : nil, in: context))
    }

    func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
        if fault != .takesForeignChallenge, challenge.binding != rules.binding, fault != .foreignChallenge {
            throw AuthError(.configuration(.changed), "the challenge is another configuration's")
        }
        if case .declined = answer, fault != .ignoresDecline { throw AuthError(.declined, "the person declined") }
        let binding = ProviderBinding(
            provider: fault == .foreignAccount ? "other" : "small", authority: Self.authority, client: "tests")
        let session = AuthSession(
            id: AuthSession.ID("one"), account: AccountID(subject: "ada", of: binding),
            tokens: [.standard: AccessToken(Secret("small-access-token"), lifetime: context.lifetime(.seconds(60)))])
        return .signedIn(
            Grant(
                refreshToken: Secret("small-refresh"), sessions: [session],
                current: AuthSession.ID(fault == .noSession ? "two" : "one")))
    }

    func refresh(
        _ credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> CredentialChange {
        guard credential.binding == rules.binding || fault == .takesForeignCredential else {
            throw AuthError(.configuration(.changed), "the credential is another configuration's")
        }
        let response: TransportResponse
        do {
            response = try await send("/token", in: context)
        } catch let error as TransportError {
            if fault == .refusesOffline, !error.wasSent { throw Refusal(.definite, code: "offline") }
            if fault == .refusesOnLostAnswer, error.wasSent { throw Refusal(.definite, code: "lost") }
            throw fault == .hidesNotSent ? TransportError(error.code, wasSent: true) : error
        }
        guard response.status == 200 else {
            if response.status >= 500 || response.status == 429, fault != .refusesOnTrouble {
                throw AuthError(.serviceTrouble, "the service answers with \(response.status)")
            }
            throw Refusal(.definite, code: "refused")
        }
        if fault == .bringsNothing { return CredentialChange() }
        return CredentialChange(minted: [want.session: [want.audience: AccessToken(Secret(response.body))]])
    }

    func revoke(_ revocation: Revocation, in context: ProviderContext) async throws {
        if fault == .forgetsRevocation { return }
        let response = try await send("/revoke", in: context)
        guard response.status == 200, fault != .neverRevokes else {
            throw AuthError(.serviceTrouble, "the service does not revoke")
        }
    }

    private func send(_ path: String, in context: ProviderContext) async throws -> TransportResponse {
        try await context.transport.send(TransportRequest("POST", Self.authority + path), deadline: .seconds(10))
    }

    private func challenge(showing text: String?, in context: ProviderContext) -> Challenge {
        let authority = fault == .foreignChallenge ? "https://other.example.com" : Self.authority
        return Challenge(
            id: context.world.randomName(bytes: fault == .shortID ? 4 : 16),
            binding: ProviderBinding(provider: "small", authority: authority, client: "tests"),
            ask: .code(over: .mail, sentTo: text))
    }
}
