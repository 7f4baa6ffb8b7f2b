import Latchkey
import LatchkeyJSON

/// An answer of 400 to 499: the harbour's own word, or that of whatever stands before it.
struct HarbourError: Error {
    /// The harbour's closed list.
    enum Code: String {
        case wrongPassword = "wrong_password"
        case wrongCode = "wrong_code"
        case codeExpired = "code_expired"
        case tokenSpent = "token_spent"
        case sessionEnded = "session_ended"
        case skipperBanned = "skipper_banned"
        case mailTaken = "mail_taken"
        case weakPassword = "weak_password"
        case badApp = "bad_app"
    }

    /// The status.
    var status: Int
    /// What the harbour says; `nil`: nothing that we know. No text of the answer goes any further than this.
    var code: Code?

    /// Reads an answer.
    init(_ response: TransportResponse) {
        status = response.status
        code = (try? JSON.parse(response.body))?["error"]?.string.flatMap(Code.init)
    }

    /// What it means while somebody signs in, or out.
    var ofSignIn: AuthError {
        switch code {
        case .wrongPassword: error(.refused(.wrongInput), "mail or password is wrong")
        case .wrongCode: error(.refused(.wrongInput), "the code is wrong")
        case .codeExpired: error(.refused(.expired), "the code is too old")
        case .skipperBanned: error(.refused(.denied), "the harbour has banned the skipper")
        case .mailTaken: error(.refused(.other), "a skipper has this mail already")
        case .weakPassword: error(.refused(.passwordNotAccepted), "the harbour wants a longer password")
        case .badApp: error(.configuration(.clientRefused), "the harbour does not know this app")
        case .tokenSpent, .sessionEnded, nil: error(.serviceTrouble, "the harbour answers \(status)")
        }
    }

    /// What it means for a session. Only what the harbour says of it ends it; that the app is wrong says nothing of it.
    var ofRefresh: any Error {
        switch code {
        case .tokenSpent: Refusal(.definite, code: "token_spent")
        case .sessionEnded: Refusal(.definite, code: "session_ended", reason: .expired)
        case .skipperBanned: Refusal(.definite, code: "skipper_banned", reason: .banned)
        case .badApp: error(.configuration(.clientRefused), "the harbour does not know this app")
        case .wrongPassword, .wrongCode, .codeExpired, .mailTaken, .weakPassword, nil:
            Refusal(.unexplained, code: "\(status)")
        }
    }

    private func error(_ code: AuthError.Code, _ message: String) -> AuthError {
        AuthError(code, message, provider: "harbour", serviceCode: self.code?.rawValue)
    }
}

extension HarbourProvider {
    /// Sends what belongs to a sign-in.
    func signIn(_ path: String, _ body: JSON, in context: ProviderContext) async throws -> JSONField {
        do { return try await post(path, body, in: context) } catch let error as HarbourError { throw error.ofSignIn }
    }

    /// Sends one POST and reads the answer. What the transport throws goes on as it is: it knows whether anything was sent.
    func post(_ path: String, _ body: JSON, in context: ProviderContext) async throws -> JSONField {
        let request = TransportRequest(
            "POST", base + path, fields: ["Content-Type": "application/json"], body: body.serialized())
        let response = try await context.send(request)
        switch response.status {
        case 204: return JSONField([:])
        case 200:
            do { return JSONField(try JSON.parse(response.body)) } catch {
                throw AuthError(.untrusted(.malformed), "the harbour's answer is not JSON", provider: "harbour")
            }
        case 429: throw trouble(.rateLimited, response, in: context)
        case 400...499: throw HarbourError(response)
        default: throw trouble(.serviceTrouble, response, in: context)
        }
    }

    private func trouble(
        _ code: AuthError.Code, _ response: TransportResponse, in context: ProviderContext
    ) -> AuthError {
        AuthError(
            code, "the harbour answers \(response.status)", provider: "harbour",
            retryAfter: RetryAfter.read(response.fields, now: context.serverNow))
    }
}
