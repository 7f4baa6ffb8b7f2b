public import Latchkey
import LatchkeyJSON

/// Signs in to an invented service: `POST /session` with a name and a pin gives a pass and a ticket, `POST /ticket` with
/// the pass gives the next of both, `DELETE /session` ends it.
public struct GuestbookProvider: AuthProvider {
    /// What this provider can do.
    public let rules: ProviderRules
    private let base: String

    /// The guest book at `base`, such as `https://guests.example.com`.
    public init(at base: String) {
        self.base = base
        rules = ProviderRules(
            binding: ProviderBinding(provider: "guestbook", authority: base, client: "app"), methods: [.password])
    }

    /// Sends name and pin; a guest book asks nothing back.
    public func begin(
        _ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext
    ) async throws -> Turn {
        guard case .signIn(.password(let name, let pin)) = request else {
            throw AuthError(.configuration(.unsupported), "the guest book takes a name and a pin only")
        }
        let body: JSON = ["name": .string(name), "pin": .string(pin.revealText())]
        let response = try await post("/session", body, in: context)
        switch response.status {
        case 200: break
        // Only the service's own word says so: an empty or foreign 403 may be a gateway's.
        case 403 where refusal(response) == "pin_wrong":
            throw AuthError(.refused(.wrongInput), "name or pin is wrong", provider: rules.binding.provider)
        default: throw trouble(response, in: context)
        }
        let answer = try parse(response)
        let session = AuthSession(
            id: AuthSession.ID(try answer["guest"].string()),
            account: try guest(answer), label: name,
            tokens: [.standard: try ticket(answer, in: context)])
        return .signedIn(Grant(refreshToken: Secret(try answer["pass"].string()), session))
    }

    /// Never called: nothing is asked.
    public func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
        throw AuthError(.configuration(.unsupported), "the guest book asks nothing back")
    }

    /// Trades the pass for the next pass and ticket.
    public func refresh(
        _ credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> CredentialChange {
        guard let pass = credential.refreshToken else { throw Refusal(.definite, code: "no_pass") }
        let response = try await post("/ticket", ["pass": .string(pass.revealText())], in: context)
        if response.status == 403 {
            throw refusal(response) == "pass_unknown"
                ? Refusal(.definite, code: "pass_unknown") : Refusal(.unexplained, code: "403")
        }
        guard response.status == 200 else { throw trouble(response, in: context) }
        let answer = try parse(response)
        let next = Secret(try answer["pass"].string())
        // The pass that was sent is spent: the next one must not be lost, whatever else is wrong with the answer.
        context.carry(next)
        guard try guest(answer) == credential.session(want.session)?.account else {
            throw AuthError(.untrusted(.subject), "the guest book speaks of another guest")
        }
        return CredentialChange(
            refreshToken: next,
            minted: [want.session: [want.audience: try ticket(answer, in: context)]])
    }

    /// Whose answer it is. An empty name is no name.
    private func guest(_ answer: JSONField) throws -> AccountID {
        AccountID(subject: try text(answer["guest"]), of: rules.binding)
    }

    private func ticket(_ answer: JSONField, in context: ProviderContext) throws -> AccessToken {
        AccessToken(
            Secret(try text(answer["ticket"])),
            lifetime: context.lifetime(.seconds(try answer["seconds"].integer())))
    }

    private func post(_ path: String, _ body: JSON, in context: ProviderContext) async throws -> TransportResponse {
        let request = TransportRequest(
            "POST", base + path, fields: ["Content-Type": "application/json"], body: body.serialized())
        return try await context.send(request)
    }

    private func parse(_ response: TransportResponse) throws -> JSONField {
        do { return JSONField(try JSON.parse(response.body)) } catch {
            throw AuthError(.untrusted(.malformed), "the guest book's answer is not JSON")
        }
    }

    private func text(_ field: JSONField) throws -> String {
        let text = try field.string()
        guard !text.isEmpty else { throw AuthError(.untrusted(.malformed), "the guest book's answer has a gap") }
        return text
    }

    /// What the guest book says when it refuses; `nil` if it does not say it in its own form.
    private func refusal(_ response: TransportResponse) -> String? {
        (try? JSON.parse(response.body))?["refused"]?.string
    }

    private func trouble(_ response: TransportResponse, in context: ProviderContext) -> AuthError {
        AuthError(
            response.status == 429 ? .rateLimited : .serviceTrouble, "the guest book answers \(response.status)",
            retryAfter: RetryAfter.read(response.fields, now: context.serverNow))
    }
}

extension GuestbookProvider: SessionRevoking {
    /// Tells the guest book that the pass is no longer wanted.
    public func revoke(_ revocation: Revocation, in context: ProviderContext) async throws {
        guard let pass = revocation.credential.refreshToken else { return }
        let request = TransportRequest("DELETE", base + "/session", fields: ["Guest-Pass": pass.revealText()])
        let response = try await context.send(request)
        guard response.status == 204 || response.status == 404 else { throw trouble(response, in: context) }
    }
}
