import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// What somebody sees who signs in as a person that the service does not know: the same as for one that it knows. Otherwise
/// a form would tell whoever tries addresses which of them have an account here.
extension ClerkConversation {
    /// The words for "nobody has this name", and for "this person has no such factor".
    private static let telling: Set<String> = ["form_identifier_not_found", "strategy_for_user_invalid"]
    /// How long a code lasts at the service.
    private static let codeLifetime: Double = 600

    func begin(_ request: SignInRequest, _ options: SignInOptions) async throws -> Turn {
        do { return try await start(request, options) } catch let error as AuthError {
            if let turn = try await otherwise(request, options, after: error) { return turn }
            guard !provider.tellsUnknownPeople, let code = error.serviceCode else { throw error }
            switch request {
            case .signIn(.password) where Self.telling.contains(code) || code == Self.wrongPassword:
                throw wrong(Self.wrongPassword, "The service does not take the name or the password.")
            case .signIn(.code(let who, let channel)) where Self.telling.contains(code):
                return decoy(who, .code(over: channel, sentTo: Self.shown(who)), Strategy.code(channel))
            case .recover(let who) where Self.telling.contains(code):
                let strategy = Strategy.reset(who)
                let channel = Strategy.channel(strategy) ?? .mail
                return decoy(who, .code(over: channel, sentTo: Self.shown(who)), strategy)
            case .signIn(.link(let who)) where Self.telling.contains(code):
                // A link takes a second request.
                _ = try? await service.post("/client/sign_ins", FormParameters(of: ["identifier": who]))
                return decoy(who, .openedLink(sentTo: Self.shown(who)), "email_link", options.redirect)
            default: throw error
            }
        }
    }

    /// Goes on in another way than was asked for, as the service's own pages do: a password that is known from leaks is
    /// replaced, and a person who signs in only in a browser or by a link is led there.
    private func otherwise(
        _ request: SignInRequest, _ options: SignInOptions, after error: AuthError
    ) async throws -> Turn? {
        switch (request, error.serviceCode) {
        case (.signIn(.password(let who, _)), "form_password_pwned"),
            (.signIn(.password(let who, _)), "form_password_compromised"):
            return try await begin(.recover(identifier: who), options)
        case (.signIn(.password(let who, _)), "strategy_for_user_invalid"),
            (.signIn(.code(let who, _)), "strategy_for_user_invalid"):
            guard options.redirect != nil else { return nil }
            let attempt = try await service.post("/client/sign_ins", FormParameters(of: ["identifier": who]))
            let factors = attempt["supported_first_factors"]
            guard attempt["status"] == "needs_first_factor", SessionWire.factors(factors, Factor.first).isEmpty,
                !SessionWire.factors(factors, [], hasRedirect: true).isEmpty
            else { return nil }
            return try await next(attempt)
        default: return nil
        }
    }

    func answer(_ answer: Answer, to challenge: Challenge) async throws -> Turn {
        do { return try await take(answer, to: challenge) } catch let error as AuthError {
            guard !provider.tellsUnknownPeople, case .code = answer, pending["who"] != nil, challenge.ask.isCode else {
                throw error
            }
            switch error.serviceCode {
            case "form_code_incorrect", "verification_failed": throw wrongCode
            case "verification_expired": throw codeIsOver
            default: throw error
            }
        }
    }

    /// The address that a code goes to, as the person typed it; `nil` for a user name, whose address is not theirs to see.
    static func shown(_ who: String) -> String? { who.contains("@") || who.hasPrefix("+") ? who : nil }

    /// Asks for a code, or waits for a link, that was never sent.
    private func decoy(_ who: String, _ ask: Ask, _ strategy: String, _ redirect: String? = nil) -> Turn {
        let now = Int64(service.context.serverNow.timeIntervalSince1970)
        var conversation = self
        conversation.pending = pending.with([
            "kind": .string("unknown"), "who": .string(who), "strategy": .string(strategy), "sentAt": .integer(now),
            "redirect": redirect.map { .string($0) },
        ])
        return conversation.asked(ask)
    }

    /// Answers as the service does to a wrong code; sending again asks the service whether it knows the person by now.
    func answerUnknown(_ answer: Answer, to challenge: Challenge) async throws -> Turn {
        let (who, strategy) = (pending["who"]?.string ?? "", pending["strategy"]?.string ?? "")
        let age = service.context.serverNow.timeIntervalSince1970 - (pending["sentAt"]?.number ?? 0)
        switch (answer, challenge.ask) {
        case (.declined, _): throw provider.error(.declined, "The person declined.")
        case (.resend, _):
            // The person may have an account by now.
            var again = self
            var options = SignInOptions()
            options.redirect = pending["redirect"]?.string
            again.pending = pending.with([
                "kind": nil, "who": nil, "strategy": nil, "sentAt": nil, "redirect": nil,
            ])
            switch strategy {
            case "email_link": return try await again.begin(.signIn(.link(identifier: who)), options)
            case let reset where reset.hasPrefix("reset_"):
                return try await again.begin(.recover(identifier: who), options)
            default:
                let channel = Strategy.channel(strategy) ?? .mail
                return try await again.begin(.signIn(.code(identifier: who, over: channel)), options)
            }
        case (.code, .code) where age >= Self.codeLifetime:
            throw codeIsOver
        case (.code, .code):
            throw wrongCode
        case (.redirected, .openedLink):
            throw StillOpen(provider.error(.untrusted(.state), "The link brought no approval."))
        default: throw unsupported("this answer")
        }
    }

    private static let wrongPassword = "form_password_incorrect"

    private var wrongCode: AuthError {
        wrong("form_code_incorrect", "The service does not take what was entered (code).")
    }

    private var codeIsOver: AuthError {
        wrong("verification_expired", "What was to be answered is over; begin again.", .refused(.expired))
    }

    private func wrong(
        _ serviceCode: String, _ sentence: String, _ code: AuthError.Code = .refused(.wrongInput)
    ) -> AuthError {
        AuthError(code, sentence, provider: provider.name, serviceCode: serviceCode)
    }
}

extension Ask {
    /// Whether a code that was sent is asked for.
    fileprivate var isCode: Bool { if case .code = self { true } else { false } }
}
