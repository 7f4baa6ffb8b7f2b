import Latchkey
import LatchkeyJSON
import LatchkeyPluginKit

/// What a conversation keeps between two turns, stored in the challenge. Of what the person typed
/// it contains only the name, as `typed`; `user` is the service's name for the person. `step` is
/// the service's challenge, or one of `confirm`, `reset` and `link`; `session` and `device` come
/// from the service. `first` is the factor that a code was asked for as, and `signsIn` says that a
/// confirmation is part of signing in.
typealias Pending = [String: JSON]

extension Pending {
    static func of(_ typed: String, _ step: JSON = "confirm") -> Pending { ["typed": .string(typed), "step": step] }
    var typed: String { self["typed"]?.string ?? "" }
    /// Whether a code that is the first factor is asked for.
    var isFirst: Bool { self["first"] != nil && self["first"] == self["step"] }

    func with(_ changes: [String: JSON?]) -> Pending { changes.reduce(into: self) { $0[$1.key] = $1.value } }
}

/// The turns of a conversation.
extension CognitoService {
    func begin(_ request: SignInRequest) async throws -> Turn {
        switch request {
        case .signIn(.password(let user, let password)): return try await signIn(.of(user), password)
        case .signIn(.code(let user, let channel)) where channel == .mail || channel == .sms:
            return try await firstCode(.of(user).with(["first": channel == .mail ? "EMAIL_OTP" : "SMS_OTP"]))
        case .signUp(let form): return try await signUp(form)
        case .recover(let user): return try await sendReset(.of(user))
        case .link(.custom(CognitoProvider.authenticatorApp, _), _):
            return try await enrol(.of(context.principal?.session.label ?? "", "link"))
        default: throw unsupported
        }
    }

    func answer(_ answer: Answer, to challenge: Challenge) async throws -> Turn {
        let pending = challenge.state.object ?? [:]
        switch (answer, challenge.ask, pending["step"]?.string) {
        case (.declined, _, _): throw provider.error(.declined, "The person declined.")
        case (.resend, _, "confirm"):
            return confirmation(pending, try await call("ResendConfirmationCode", of: pending.typed))
        case (.resend, _, "reset"): return try await sendReset(pending)
        case (.resend, _, _) where pending.isFirst: return try await firstCode(pending)
        case (.code(let code), .code, "confirm"):
            _ = try await call("ConfirmSignUp", of: pending.typed, ["ConfirmationCode": .revealing(code)])
            return pending["signsIn"] == nil ? .continuesElsewhere(.signIn) : asked(.password, pending)
        case (.code(let code), .enrolment, _): return try await verify(pending, code)
        case (.code(let code), .code, let step?), (.code(let code), .totp, let step?):
            return try await go(on: pending, ["\(step)_CODE": code])
        case (.password(let password), .password, _): return try await signIn(pending, password)
        case (.choice(let id), .choose, _): return try await go(on: pending, ["ANSWER": Secret(id)])
        case (.fields(let fields), .fields, "reset"): return try await reset(pending, fields)
        case (.fields(var fields), .fields, _):
            fields["NEW_PASSWORD"] = fields.removeValue(forKey: "password")
            return try await go(on: pending, fields)
        default: throw unsupported
        }
    }

    func signIn(_ pending: Pending, _ password: Secret) async throws -> Turn {
        let known = try await knownDevice(of: pending.typed)
        let pending = pending.with(["device": known?.key])
        let (name, secret) = (pending["typed"], JSON.revealing(password))
        let parameters = ["USERNAME": name, "PASSWORD": secret, "DEVICE_KEY": pending["device"]]
        do {
            let answer = try await initiate("USER_PASSWORD_AUTH", pending.typed, parameters)
            if answer["ChallengeName"] != "DEVICE_SRP_AUTH" { return try await next(answer, pending) }
        } catch let error as AuthError {
            switch error.serviceCode {
            case "UserNotConfirmedException":
                // A code was sent when the account was made; the service does not say over which
                // channel. A telephone number starts with a plus.
                let channel = pending.typed.hasPrefix("+") ? DeliveryChannel.sms : .mail
                return asked(.code(over: channel, sentTo: nil), pending.with(["signsIn": true, "step": "confirm"]))
            case "PasswordResetRequiredException": return try await sendReset(pending)
            case "ResourceNotFoundException" where known != nil: break
            default: throw error
            }
        }
        // The service no longer knows the device, or asks it for the proof: continue without the device.
        guard let known else { throw unsupported }
        try await context.memory.replace(of: known.account, at: known.version, with: nil)
        return try await signIn(pending, password)
    }

    /// Sends a code as the first factor, if the pool and the person have it.
    private func firstCode(_ pending: Pending) async throws -> Turn {
        let parameters = ["USERNAME": pending["typed"], "PREFERRED_CHALLENGE": pending["first"]]
        return try await next(initiate("USER_AUTH", pending.typed, parameters), pending)
    }

    /// Answers a challenge of the service.
    func go(on pending: Pending, _ answers: [String: Secret]) async throws -> Turn {
        let (client, user) = (JSON.string(provider.clientID), pending["user"]?.string ?? pending.typed)
        let own = ["USERNAME": .string(user), "DEVICE_KEY": pending["device"], "SECRET_HASH": hash(user)]
        let all = JSON.of(own.merging(answers.mapValues { .revealing($0) }) { own, _ in own })
        let members = ["ClientId": client, "ChallengeName": pending["step"], "Session": pending["session"]]
        let answer = try await call("RespondToAuthChallenge", members.merging(["ChallengeResponses": all]) { $1 })
        return try await next(answer, pending)
    }

    /// Returns what the service asks for next, or the grant.
    private func next(_ answer: JSON, _ pending: Pending) async throws -> Turn {
        if answer["AuthenticationResult"] != nil { return try await granted(answer, pending) }
        let (name, parameters) = (answer["ChallengeName"], answer["ChallengeParameters"])
        let user = parameters?["USERNAME"] ?? pending["user"]
        let pending = pending.with(["step": name, "session": answer["Session"], "user": user])
        let sentTo = parameters?["CODE_DELIVERY_DESTINATION"]?.string
        switch name?.string {
        case "SMS_MFA", "SMS_OTP": return asked(.code(over: .sms, sentTo: sentTo), pending)
        case "EMAIL_OTP": return asked(.code(over: .mail, sentTo: sentTo), pending)
        case "SOFTWARE_TOKEN_MFA": return asked(.totp, pending)
        case "NEW_PASSWORD_REQUIRED":
            let attributes = words(parameters?["requiredAttributes"]).map { Ask.Field(name: $0) }
            return asked(.fields([.newPassword("password", rules: provider.passwordRules)] + attributes), pending)
        case "SELECT_MFA_TYPE", "SELECT_CHALLENGE":
            let labels: [Substring: String] = ["SMS": "Text message", "EMAIL": "Mail", "SOFTWARE": "Authenticator app"]
            let ids = words(parameters?["MFAS_CAN_CHOOSE"] ?? answer["AvailableChallenges"])
            let options = ids.compactMap { id in labels[id.prefix { $0 != "_" }].map { Ask.Option(id: id, label: $0) } }
            guard !options.isEmpty else { throw unsupported }
            return asked(.choose(options), pending)
        case "MFA_SETUP" where words(parameters?["MFAS_CAN_SETUP"]).contains("SOFTWARE_TOKEN_MFA"):
            return try await enrol(pending)
        default: throw unsupported
        }
    }

    /// Returns the words of a list, which the service writes as an array or as a string that contains one.
    private func words(_ list: JSON?) -> [String] {
        list?.array?.compactMap(\.string) ?? (list?.string ?? "").split { "[]\"', ".contains($0) }.map(String.init)
    }

    func asked(_ ask: Ask, _ pending: Pending) -> Turn {
        let (id, binding) = (context.world.randomName(), provider.rules.binding)
        // The code of a further factor cannot be sent again.
        let isResent = ask != .password && (["confirm", "reset"].contains(pending["step"]?.string) || pending.isFirst)
        return .asked(
            Challenge(
                id: id, binding: binding, ask: ask, resendAfter: isResent ? .zero : nil, state: .object(pending)))
    }

    var unsupported: AuthError { provider.error(.configuration(.unsupported), "It cannot be asked or answered so.") }
}
