import Foundation
import Latchkey
import LatchkeyOAuthCore
import LatchkeyTesting

@testable import LatchkeyOAuth

/// What the provider made of an answer.
struct AnswerVerdict: Sendable {
    /// `tokens`, `read`, `code`, `done`, `asked`, …; for an error the name of its kind.
    var name: String
    /// Everything that the error says.
    var text = ""
    /// The refresh token that was kept.
    var kept: String?
}

/// Lets the provider read an answer where such an answer comes.
struct AnswerReader: Sendable {
    let answer: ServerAnswer
    let recording: ServerRecording

    static let redirect = "http://127.0.0.1:4613/callback"

    /// Returns the provider's verdict.
    func verdict() async -> AnswerVerdict {
        let context = context
        var verdict: AnswerVerdict
        do {
            verdict = AnswerVerdict(name: try await read(in: context))
        } catch {
            verdict = AnswerVerdict(name: Self.name(of: error), text: Self.text(of: error))
        }
        verdict.kept = context.carriedToken?.revealText()
        return verdict
    }

    private func read(in context: ProviderContext) async throws -> String {
        switch answer.place {
        case .document:
            var provider = OAuthProvider(issuer: base, clientID: "client")
            provider.redirect = Self.redirect
            return Self.name(of: try await provider.begin(.signIn(.browser()), SignInOptions(), in: context), "read")
        case .keys, .code: return try await exchanged(in: context)
        case .redirect:
            guard let address = answer.appRedirect else { return "browser" }
            _ = try AuthorizationResponse.check(Secret(address), against: transaction)
            return "code"
        case .refresh:
            _ = try await provider.refresh(credential, for: TokenWant(session: AuthSession.ID("s")), in: context)
            return "tokens"
        case .client:
            var program = provider
            program.flow = .service
            if program.authentication == .none { program.authentication = .post(Secret("s3cret-of-nobody")) }
            let turn = try await program.begin(.signIn(.clientCredentials), SignInOptions(), in: context)
            return Self.name(of: turn, "asked")
        case .poll:
            let state = DeviceState(
                deviceCode: Secret(answer.form["device_code"] ?? "code"), interval: .seconds(5),
                scopes: verifiesIDToken ? ["openid"] : [])
            let ask = Ask.device(
                Ask.Device(userCode: "A", at: "http://127.0.0.1/", complete: nil, interval: .seconds(5)))
            let challenge = Challenge(id: "c", binding: provider.binding, ask: ask, state: state.json)
            return Self.name(of: try await provider.answer(.poll, to: challenge, in: context), "pending")
        case .revocation:
            try await provider.revoke(Revocation(credential), in: context)
            return "done"
        case .device:
            return Self.name(of: try await provider.begin(.signIn(.device), SignInOptions(), in: context), "asked")
        case .userinfo:
            let call = UserInfoCall(provider: provider, context: context)
            _ = try await call.claims(
                of: answer.members?["sub"] as? String ?? "somebody", with: AccessToken(Secret("a")))
            return "claims"
        case .api:
            guard let response = answer.response else { throw TransportError(.timedOut, wasSent: true) }
            return switch provider.verdict(on: response) {
            case .accepted: "accepted"
            case .rejected: "rejected"
            case .insufficient: "insufficient"
            case .otherwise: "otherwise"
            }
        }
    }

    /// Exchanges a code: the answer is that of the token endpoint, or of the keys.
    private func exchanged(in context: ProviderContext) async throws -> String {
        let transaction = transaction
        let query = FormEncoding.encode(FormParameters([("code", answer.form["code"] ?? "c"), ("state", "state")]))
        let challenge = Challenge(
            id: "c", binding: provider.binding, ask: .visit(url: answer.url, redirect: Self.redirect),
            state: VisitState(transaction: transaction).json)
        let address = Secret("\(Self.redirect)?\(query)")
        return Self.name(of: try await provider.answer(.redirected(address), to: challenge, in: context), "asked")
    }

    private static func name(of turn: Turn, _ asked: String) -> String {
        switch turn {
        case .signedIn: return "tokens"
        case .asked(let challenge):
            if case .device(let device) = challenge.ask, asked == "pending", device.interval > .seconds(5) {
                return "slower"
            }
            return asked
        default: return "other"
        }
    }

    private static func name(of error: any Error) -> String {
        switch error {
        case let refusal as Refusal: return refusal.kind == .definite ? "session over" : "refused, kept"
        case let unsent as NotSent: return name(of: unsent.error)
        case is TransportError: return "no answer"
        case let error as AuthError: return error.foreign == nil ? error.code.name : "foreign"
        default: return "\(type(of: error))"
        }
    }

    private static func text(of error: any Error) -> String {
        switch error {
        case let refusal as Refusal: return "\(refusal) \(refusal.serviceText.map { "\($0)" } ?? "")"
        case let unsent as NotSent: return text(of: unsent.error)
        case let error as AuthError: return "\(error) \(error.serviceText.map { "\($0)" } ?? "")"
        default: return "\(error)"
        }
    }
}
