import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyTesting

/// A provider of a made-up service that answers in JSON: a password and a code, or a visit to its page. It breaks exactly
/// one promise.
struct PageProvider: SessionRevoking {
    static let redirect = "https://app.example.com/back"
    let base: String
    let fault: PageFault?

    var rules: ProviderRules {
        let authority = fault == .sharesBinding ? PageService.address : base
        return ProviderRules(
            binding: ProviderBinding(provider: "page", authority: authority, client: "tests"),
            methods: [.password, .browser])
    }

    func begin(_ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext) async throws -> Turn {
        switch request {
        case .signIn(.password(let name, let password)):
            let path = fault == .namesTokenInAddress ? "/begin?\(password.revealText().filter { $0 != " " })" : "/begin"
            _ = try await signIn(path, ["name": .string(name), "password": .string(password.revealText())], context)
            var code = challenge(.code(over: .mail, sentTo: nil), [:], context)
            code.expiresAt = (fault == .readsDevice ? context.world.clock.wall() : context.serverNow) + 600
            return .asked(code)
        case .signIn(.browser): return .asked(try await visit(context))
        default: throw AuthError(.configuration(.unsupported), "the service knows no such way")
        }
    }

    private func visit(_ context: ProviderContext) async throws -> Challenge {
        let verifier =
            fault == .sharesVerifier ? String(repeating: "v", count: 43) : context.world.randomName(bytes: 32)
        let state = fault == .sharesState ? String(repeating: "s", count: 22) : context.world.randomName()
        let nonce = context.world.randomName()
        let hash = Base64URL.encode(Hash.digest(Array(verifier.utf8)))
        let answer = try await signIn(
            "/visit", ["challenge": .string(hash), "state": .string(state), "nonce": .string(nonce)], context)
        let url = try answer["url"].string()
        guard url.hasPrefix(base + "/") || fault == .believesPage else {
            throw AuthError(.untrusted(.malformed), "it is another service's page")
        }
        if fault == .keepsInCache {
            _ = try await context.cache.value(state) { (verifier, fresh: .seconds(600)) }
        }
        return challenge(
            .visit(url: url, redirect: Self.redirect),
            ["verifier": .string(verifier), "state": .string(state), "nonce": .string(nonce)], context)
    }

    func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
        switch answer {
        case .declined: throw AuthError(.declined, "the person declined")
        case .code(let code):
            do {
                return try granted(try await signIn("/code", ["code": .string(code.revealText())], context), context)
            } catch let error as AuthError where error.code == .refused(.wrongInput) && fault == .endsAtWrongCode {
                _ = try await signIn("/end", [:], context)
                throw error
            }
        case .redirected(let address):
            return try await arrived(at: address.revealText(), JSONField(challenge.state), context)
        default: throw AuthError(.configuration(.unsupported), "that was not asked for")
        }
    }

    private func arrived(at address: String, _ kept: JSONField, _ context: ProviderContext) async throws -> Turn {
        guard address.hasPrefix(Self.redirect + "?") else {
            throw StillOpen(AuthError(.untrusted(.redirect), "it is another address"))
        }
        let query = address.dropFirst(Self.redirect.count + 1).split(separator: "&")
        let values = { (name: String) in
            query.filter { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
        }
        let state = try kept["state"].string()
        let isProven = values("state") == [state] || (fault == .takesNoState && values("state").isEmpty)
        guard isProven, values("code").count < 2 || fault == .takesTwoCodes else {
            let error = AuthError(.untrusted(.state), "the redirect is not ours")
            if fault == .endsAtForgery { throw error }
            throw StillOpen(error)
        }
        let verifier =
            fault == .keepsInCache
            ? try await context.cache.value(state) { ("", fresh: .zero) } : try kept["verifier"].string()
        let body: JSON = ["code": .string(values("code").first ?? ""), "verifier": .string(verifier)]
        let answer = try await signIn("/exchange", body, context)
        let claims = JSONField(try JSON.parse(Base64URL.decode(try answer["id"].string().split(separator: ".")[1])))
        guard try claims["nonce"].string() == kept["nonce"].string() || fault == .ignoresNonce,
            try claims["iss"].string() == PageService.address, try claims["aud"].string() == "tests",
            try Double(claims["exp"].integer()) > context.serverNow.timeIntervalSince1970
        else { throw AuthError(.untrusted(.claims), "the ID token is for another sign-in") }
        return try granted(answer, context)
    }

    private func granted(_ answer: JSONField, _ context: ProviderContext) throws -> Turn {
        let name = try answer["person"].string()
        guard !name.isEmpty || fault == .namesNobody else { throw AuthError(.untrusted(.malformed), "it names nobody") }
        let session = AuthSession(
            id: AuthSession.ID("one"), account: AccountID(subject: name, of: rules.binding),
            label: fault == .hasNoLabel ? nil : name, tokens: [.standard: try token(answer, context)])
        return .signedIn(Grant(refreshToken: Secret(try answer["refresh"].string()), session))
    }

    private func challenge(_ ask: Ask, _ state: JSON, _ context: ProviderContext) -> Challenge {
        Challenge(id: context.world.randomName(), binding: rules.binding, ask: ask, state: state)
    }
}
