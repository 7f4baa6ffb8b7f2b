import Latchkey
import LatchkeyJSON

/// An answer of the service that is none of success. Its text decides, and is never shown: it may repeat what was sent.
struct CognitoFailure: Error {
    private typealias Meaning = (words: [String], code: AuthError.Code, sentence: String)

    /// What the service calls it, without `Exception` at the end; empty where this is not the service's word.
    private let name: String
    private let (status, text): (Int, String)
    private let (requestID, wait): (String?, Duration?)
    private let provider: CognitoProvider

    init(_ response: TransportResponse, _ service: CognitoService) {
        let answer = try? JSON.parse(response.body)
        // 429 and 5xx are trouble, whatever their body says, and whoever it is from.
        let word = (400..<429).contains(response.status) ? answer?["__type"]?.string ?? "" : ""
        name = word.hasSuffix("Exception") ? word.dropLast(9).split(separator: "#").last.map(String.init) ?? "" : ""
        (status, text) = (response.status, answer?["message"]?.string ?? "")
        requestID = response.fields["x-amzn-RequestId"].flatMap { $0.utf8.count <= 64 ? $0 : nil }
        wait = RetryAfter.read(response.fields, now: service.context.serverNow)
        provider = service.provider
    }

    /// The exceptions that a client meets, by how their names begin; and by how their sentences begin those which are all
    /// called `NotAuthorized`.
    private static let meanings: [Meaning] = [
        (["RefreshTokenReuse", "Refresh Token has been revoked"], .signInRequired(.refused), "The session is over."),
        (["Refresh Token has expired"], .signInRequired(.expired), "The session has lasted as long as it may."),
        (["User is disabled"], .signInRequired(.banned), "The account is disabled."),
        (["Access Token ", "Invalid Access "], .signInRequired(.notAccepted), "The access token is refused."),
        (
            ["ExpiredCode", "Invalid ", "Temporary ", "User account "], .refused(.expired),
            "It is too old; begin again."
        ),
        (["LimitExceeded", "TooMany", "Password attempts "], .rateLimited, "The service wants fewer requests."),
        (["UsernameExists", "AliasExists", "User cannot "], .refused(.other), "There is such an account already."),
        (["CodeMismatch", "EnableSoftwareTokenMFA"], .refused(.wrongInput), "The code is wrong."),
        (["InvalidPassword", "PasswordHistory"], .refused(.wrongInput), "The new password breaks the pool's rules."),
        (["UserNotConfirmed", "PasswordReset"], .refused(.factorRequired), "The account is not ready to be used."),
        (["UserLambdaValidation"], .refused(.denied), "A trigger of the pool refused."),
        (["InvalidParameter"], .configuration(.invalid), "The app client does not take this request."),
        (["ResourceNotFound", "Unable to ", "Client "], .configuration(.clientRefused), "The app client is refused."),
        (["Unsupported", "OperationNotEnabled"], .configuration(.unsupported), "The pool does not offer this."),
        (["UserNotFound"], .refused(.wrongInput), "The name or the password is wrong."),
    ]

    /// Who mistyped is told as who is not known, and so is a sentence of `NotAuthorized` that nobody knows.
    private var meaning: Meaning? {
        let words = name == "NotAuthorized" ? text : name
        let known = Self.meanings.first { $0.words.contains(where: words.hasPrefix) }
        return known ?? (name == "NotAuthorized" ? Self.meanings.last : nil)
    }

    /// The failure in the engine's words.
    ///
    /// - Parameter isTyped: Whether what a person typed is all that may be wrong with the form of the request.
    func error(isTyped: Bool) -> AuthError {
        let trouble: AuthError.Code = status == 429 ? .rateLimited : .serviceTrouble
        var code = isTyped && name == "InvalidParameter" ? .refused(.wrongInput) : meaning?.code ?? trouble
        // Where this is not about a refresh, nobody is signed in yet.
        if code == .signInRequired(.banned) { code = .refused(.denied) }
        let shown = name == "UserNotFound" ? "NotAuthorizedException" : "\(name)Exception"
        return AuthError(
            code, meaning?.sentence ?? "The service answered \(status).", provider: provider.name, retryAfter: wait,
            requestID: requestID, serviceCode: meaning == nil ? nil : shown)
    }

    /// What a refresh throws. Definite is the service's word about token or person alone; a device key that is missing,
    /// or a token that is another client's, has the same exception with another sentence.
    var refusal: any Error {
        func refusal(_ kind: Refusal.Kind, _ reason: AuthError.SignInRequiredReason = .refused) -> Refusal {
            Refusal(kind, code: "\(name)Exception", requestID: requestID, reason: reason, issuedNothing: true)
        }
        switch meaning?.code {
        case .signInRequired(let reason) where reason != .notAccepted: return refusal(.definite, reason)
        case .rateLimited, .configuration: return NotSent(error(isTyped: false))
        case nil where status == 429 || status >= 500: return error(isTyped: false)
        case nil: return Refusal(.unexplained, code: "\(status)", requestID: requestID)
        default: return refusal(name == "UserNotFound" ? .definite : .unexplained)
        }
    }
}
