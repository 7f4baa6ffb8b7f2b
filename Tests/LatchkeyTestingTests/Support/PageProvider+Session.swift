import FoundationEssentials
import Latchkey
import LatchkeyJSON

extension PageProvider {
    func refresh(
        _ credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> CredentialChange {
        guard let spent = credential.refreshToken else { throw Refusal(.definite, code: "none") }
        let response = try await send("/refresh", ["refresh": .string(spent.revealText())], context)
        guard response.status == 200 else {
            switch word(of: response) {
            case "spent": throw Refusal(.definite, code: "spent")
            default: throw trouble(response, context)
            }
        }
        let answer = JSONField(try JSON.parse(response.body))
        let next = Secret(try answer["refresh"].string())
        if fault != .losesSuccessor { context.carry(next) }
        let account = AccountID(subject: try answer["person"].string(), of: rules.binding)
        guard account == credential.session(want.session)?.account || fault == .takesOther else {
            throw AuthError(.untrusted(.subject), "the answer names another person")
        }
        return CredentialChange(
            refreshToken: next, minted: [want.session: [want.audience: try token(answer, context)]])
    }

    func revoke(_ revocation: Revocation, in context: ProviderContext) async throws {
        guard let token = revocation.credential.refreshToken else { return }
        let response = try await send("/end", ["refresh": .string(token.revealText())], context)
        guard response.status == 200 else { throw trouble(response, context) }
    }

    /// The access token of an answer.
    func token(_ answer: JSONField, _ context: ProviderContext) throws -> AccessToken {
        let value = try answer["access"].string()
        guard !value.isEmpty, try answer["token_type"].string() == "Bearer" || fault == .ignoresType else {
            throw AuthError(.untrusted(.malformed), "the token is of an unknown kind")
        }
        var lasts = try answer["seconds"].integer()
        if fault == .believesNegative { lasts = max(lasts, 60) }
        if fault == .learnsNoTime {
            lasts = max(0, min(try answer["until"].integer(), 1 << 40)) - Int64(context.serverNow.timeIntervalSince1970)
        }
        return AccessToken(Secret(value), lifetime: context.lifetime(.seconds(lasts)))
    }

    /// Sends what belongs to a sign-in.
    func signIn(_ path: String, _ body: JSON, _ context: ProviderContext) async throws -> JSONField {
        let response: TransportResponse
        do { response = try await send(path, body, context) } catch let error as TransportError {
            if fault == .sendsAgain, error.wasSent { _ = try await send(path, body, context) }
            if fault == .hidesOffline, !error.wasSent { throw AuthError(.serviceTrouble, "no answer") }
            throw error
        }
        if response.status == 200 { return JSONField(try JSON.parse(response.body)) }
        switch word(of: response) {
        case "wrong": throw AuthError(.refused(.wrongInput), "it is wrong")
        case "banned": throw AuthError(.refused(fault == .hidesBan ? .wrongInput : .denied), "the person is banned")
        default:
            if fault == .believesGateway, response.status == 403 { throw AuthError(.refused(.wrongInput), "no") }
            var error = trouble(response, context)
            if fault == .hidesWait { error.retryAfter = nil }
            throw error
        }
    }

    private func word(of response: TransportResponse) -> String? {
        (try? JSON.parse(response.body))?["error"]?.string
    }

    private func trouble(_ response: TransportResponse, _ context: ProviderContext) -> AuthError {
        AuthError(
            response.status == 429 ? .rateLimited : .serviceTrouble, "the service answers \(response.status)",
            retryAfter: RetryAfter.read(response.fields, now: context.serverNow))
    }

    private func send(_ path: String, _ body: JSON, _ context: ProviderContext) async throws -> TransportResponse {
        try await context.send(TransportRequest("POST", base + path, body: body.serialized()))
    }
}
