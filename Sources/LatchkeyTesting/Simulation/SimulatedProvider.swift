public import Latchkey

/// A provider that speaks to a ``SimulatedService`` over whatever transport it is given.
@available(macOS 15, iOS 18, *)
public struct SimulatedProvider: SessionRevoking {
    /// What the service does with a token that was used before decides the rules.
    public let rules: ProviderRules
    private static let authority = "https://id.example.com"

    /// A provider of a service of the kind.
    public init(_ kind: SimulatedService.Kind) {
        let replay: ProviderRules.ReplayRule =
            switch kind {
            case .strict: .killsFamily
            case .sameSuccessor: .sameSuccessor
            case .newSuccessor: .newSuccessor
            case .fixed: .notRotated
            }
        rules = .scripted("simulated", renewal: kind == .fixed ? .fixed : .rotates, replay: replay)
    }

    /// Signs in whoever the password's identifier names.
    public func begin(
        _ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext
    ) async throws -> Turn {
        guard case .signIn(.password(let subject, _)) = request else {
            throw AuthError(.configuration(.unsupported), "Only passwords are simulated.")
        }
        let (refresh, token) = try await tokens(at: "signin", Array(subject.utf8), in: context)
        let session = Session(
            id: Session.ID(refresh.revealText()), account: AccountID(subject: subject, of: rules.binding),
            label: subject, tokens: [.standard: token])
        return .signedIn(Grant(renewal: refresh, session))
    }

    /// Never asked.
    public func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
        throw AuthError(.configuration(.unsupported), "No challenge is simulated.")
    }

    /// Sends the refresh token.
    public func renew(
        _ credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> Renewal {
        let (refresh, token) = try await tokens(at: "token", credential.renewal?.reveal() ?? [], in: context)
        return Renewal(
            renewal: refresh == credential.renewal ? nil : refresh, minted: [want.session: [want.audience: token]])
    }

    /// Sends the refresh token for the last time.
    public func revoke(_ revocation: Revocation, in context: ProviderContext) async throws {
        let response = try await send("revoke", revocation.credential.renewal?.reveal() ?? [], in: context)
        guard response.status == 200 else { throw AuthError(.serviceTrouble, "The service is in trouble.") }
    }

    private func send(
        _ path: String, _ body: [UInt8], in context: ProviderContext
    ) async throws -> HTTPResponse {
        try await context.transport.send(
            HTTPRequest("POST", "\(Self.authority)/\(path)", body: body), deadline: .seconds(10))
    }

    private func tokens(
        at path: String, _ body: [UInt8], in context: ProviderContext
    ) async throws -> (Secret, AccessToken) {
        let response = try await send(path, body, in: context)
        let text = String(decoding: response.body, as: UTF8.self)
        switch response.status {
        case 200:
            let words = text.split(separator: " ").map(String.init)
            guard words.count == 3, let lifetime = Int(words[2]) else {
                throw AuthError(.untrusted(.malformed), "The answer is malformed.")
            }
            return (Secret(words[0]), AccessToken(Secret(words[1]), lifetime: context.lifetime(.seconds(lifetime))))
        case 400 where text == "invalid_grant": throw Refusal(.definite, code: "invalid_grant")
        case 400: throw Refusal(.unexplained, code: "empty")
        case 429: throw AuthError(.rateLimited, "The service is busy.", retryAfter: .seconds(7))
        default: throw AuthError(.serviceTrouble, "The service is in trouble.")
        }
    }
}
