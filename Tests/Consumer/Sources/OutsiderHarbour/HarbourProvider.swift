import FoundationEssentials
public import Latchkey
import LatchkeyCrypto
import LatchkeyJSON

/// Signs skippers in at an invented harbour office, which asks back and rotates its refresh tokens.
///
/// | Request, each a POST of JSON | Answer |
/// | --- | --- |
/// | `/sign-in`, `/sign-up`: mail, password | `pending`, and a code goes out by mail |
/// | `/sign-in/code`, `/sign-in/resend`, `/sign-in/cancel`: pending | tokens, or nothing |
/// | `/visit`: redirect, state, challenge, nonce | the address of a page, which ends at the redirect |
/// | `/sign-in/visit`: code, verifier | tokens, and a passport with the nonce |
/// | `/refresh`, `/sign-out`: refresh | the next tokens, or nothing |
public struct HarbourProvider: AuthProvider {
    /// What this provider can do. A refresh token that is used twice ends the session: the first refresh rule.
    public let rules: ProviderRules
    let base: String

    /// The harbour office at `base`, such as `https://harbour.example.com`.
    public init(at base: String) {
        self.base = base
        rules = ProviderRules(
            binding: ProviderBinding(provider: "harbour", authority: base, client: "app"),
            methods: [.password, .browser], refresh: .killsFamily, capabilities: [.signUp])
    }

    /// Sends mail and password, or asks for a visit to the harbour's page.
    public func begin(
        _ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext
    ) async throws -> Turn {
        switch request {
        case .signIn(.password(let mail, let password)):
            let body: JSON = ["mail": .string(mail), "password": .string(password.revealText())]
            return try turn(try await signIn("/sign-in", body, in: context), in: context)
        case .signIn(.browser):
            return .asked(try await visit(options, in: context))
        case .signUp(let form):
            guard let password = form.password else {
                throw AuthError(.configuration(.invalid), "a sign-up needs a password")
            }
            let body: JSON = ["mail": .string(form.identifier), "password": .string(password.revealText())]
            return try turn(try await signIn("/sign-up", body, in: context), in: context)
        default:
            throw AuthError(.configuration(.unsupported), "the harbour takes a password or a visit only")
        }
    }

    /// Goes on with the code of the mail, or with the address at which the browser arrived.
    public func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
        let state = JSONField(challenge.state)
        switch (answer, challenge.ask) {
        case (.code(let code), .code):
            let body: JSON = ["pending": .string(try state["pending"].string()), "code": .string(code.revealText())]
            return try turn(try await signIn("/sign-in/code", body, in: context), in: context)
        case (.resend, .code):
            let body: JSON = ["pending": .string(try state["pending"].string())]
            _ = try await signIn("/sign-in/resend", body, in: context)
            return .asked(challenge)
        case (.redirected(let address), .visit(_, let redirect)):
            return try await arrive(at: address.revealText(), redirect, state, in: context)
        case (.declined, .code):
            // The person's no stands, even when the harbour cannot be told: the sign-in then ends by itself.
            _ = try? await post("/sign-in/cancel", ["pending": .string(try state["pending"].string())], in: context)
            throw AuthError(.declined, "the skipper said no")
        case (.declined, _):
            throw AuthError(.declined, "the skipper said no")
        default:
            throw AuthError(.configuration(.unsupported), "the harbour did not ask for that")
        }
    }
}

extension HarbourProvider {
    /// The harbour keeps a hash of the verifier, so that only who began can end it; the state tells us the same.
    private func visit(_ options: SignInOptions, in context: ProviderContext) async throws -> Challenge {
        guard let redirect = options.redirect else {
            throw AuthError(.configuration(.invalid), "a visit needs an address to return to")
        }
        let (verifier, state) = (context.world.randomName(bytes: 32), context.world.randomName())
        let nonce = context.world.randomName()
        let hash = Base64URL.encode(Hash.digest(Array(verifier.utf8)))
        let body: JSON = [
            "redirect": .string(redirect), "state": .string(state), "challenge": .string(hash), "nonce": .string(nonce),
        ]
        let answer = try await signIn("/visit", body, in: context)
        let url = try answer["url"].string()
        // An answer that leads a person elsewhere would have them type their password there.
        guard let page = WebAddress(url), page.isSecure, page.origin == WebAddress(base)?.origin else {
            throw AuthError(.untrusted(.malformed), "the harbour names a page that is not its own", provider: "harbour")
        }
        return challenge(
            .visit(url: url, redirect: redirect),
            ["verifier": .string(verifier), "state": .string(state), "nonce": .string(nonce)], in: context)
    }

    /// Trades the code for tokens, once the address has proven to be the answer to our own question.
    private func arrive(
        at address: String, _ redirect: String, _ state: JSONField, in context: ProviderContext
    ) async throws -> Turn {
        // With the mark that ends it: a longer name of a host begins with the redirect as well.
        guard address.hasPrefix(redirect + "?") else {
            throw StillOpen(AuthError(.untrusted(.redirect), "the browser arrived at another address"))
        }
        let query = address.dropFirst(redirect.count + 1).split(separator: "&")
        let value = { (name: String) in query.first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1) }
        let isTwice = { (name: String) in query.count { $0.hasPrefix(name + "=") } > 1 }
        guard !isTwice("state"), !isTwice("code") else {
            throw StillOpen(AuthError(.untrusted(.redirect), "the address says one thing twice"))
        }
        // Whoever sends a person to the redirect with a code of their own would sign them in as somebody else.
        guard value("state").map(String.init) == (try state["state"].string()) else {
            throw StillOpen(AuthError(.untrusted(.state), "the visit was begun by somebody else"))
        }
        guard let code = value("code") else {
            throw AuthError(.refused(.denied), "the harbour sent the skipper back without a code")
        }
        let body: JSON = ["code": .string(String(code)), "verifier": .string(try state["verifier"].string())]
        let answer = try await signIn("/sign-in/visit", body, in: context)
        try HarbourPassport(try answer["passport"].string(), of: base).check(
            nonce: try state["nonce"].string(), app: rules.binding.client, skipper: try answer["skipper"].string(),
            in: context)
        return try turn(answer, in: context)
    }

    /// Tokens, or the next question.
    private func turn(_ answer: JSONField, in context: ProviderContext) throws -> Turn {
        if let pending = answer["pending"].optional {
            let sentTo = try answer["sent_to"].string()
            let state: JSON = ["pending": .string(try pending.string())]
            var code = challenge(.code(over: .mail, sentTo: sentTo), state, in: context)
            code.resendAfter = .zero
            code.expiresAt = context.serverNow.addingTimeInterval(60 * Double(try answer["minutes"].integer()))
            return .asked(code)
        }
        guard try !answer["skipper"].string().isEmpty else {
            throw AuthError(.untrusted(.malformed), "the harbour names no skipper", provider: "harbour")
        }
        // By the harbour's own number: the mail may change, and may be typed in many ways.
        let account = AccountID(subject: try answer["skipper"].string(), of: rules.binding)
        let session = AuthSession(
            id: AuthSession.ID(try answer["session"].string()), account: account, label: try answer["mail"].string(),
            tokens: [.standard: try access(answer, in: context)])
        return .signedIn(Grant(refreshToken: Secret(try answer["refresh"].string()), session))
    }

    private func challenge(_ ask: Ask, _ state: JSON, in context: ProviderContext) -> Challenge {
        Challenge(id: context.world.randomName(), binding: rules.binding, ask: ask, state: state)
    }
}
