import Latchkey
import LatchkeyJSON
import LatchkeyPluginKit

/// A refusal of the service. Its text decides what it means, and is shown only as the service's words.
struct CognitoFailure: Sendable {
    private typealias Meaning = (words: [String], code: AuthError.Code, sentence: String)

    private let answer: JSONService.ErrorAnswer
    /// The exception's name, without `Exception` at the end; empty if it does not come from the service.
    private let name: String
    private let text: String

    /// The operations whose answer has tokens, or what is asked next.
    private static let signingIn: Set<String> = [
        "InitiateAuth", "RespondToAuthChallenge", "GetTokensFromRefreshToken",
    ]

    /// Whether a body is of the form that the service gives an operation: members that begin with a capital letter, or
    /// an exception's name.
    static func isOwn(_ status: Int, _ body: JSON, of operation: String) -> Bool {
        guard let members = body.object else { return false }
        guard (200...299).contains(status) else { return members["__type"]?.string != nil }
        if signingIn.contains(operation) {
            return members["AuthenticationResult"] != nil || members["ChallengeName"] != nil
        }
        return members.isEmpty || members.keys.contains { $0.first?.isUppercase == true }
    }

    init(_ answer: JSONService.ErrorAnswer) {
        let word = answer.body["__type"]?.string?.split(separator: "#").last ?? ""
        // The name is shown, so it must not be longer than the service's longest.
        name = word.hasSuffix("Exception") && word.utf8.count <= 50 ? String(word.dropLast(9)) : ""
        text = answer.body["message"]?.string ?? answer.body["Message"]?.string ?? ""
        self.answer = answer
    }

    /// The exceptions that a client can get, by the start of their names. Exceptions that are all
    /// named `NotAuthorized` are told apart by the start of their messages.
    private static let meanings: [Meaning] = [
        (["RefreshTokenReuse", "Refresh Token has been revoked"], .signInRequired(.refused), "The session is over."),
        (["Refresh Token has expired"], .signInRequired(.expired), "The session has lasted as long as it may."),
        (["User is disabled"], .signInRequired(.banned), "The account is disabled."),
        (["Access Token ", "Invalid Access "], .signInRequired(.notAccepted), "The access token is refused."),
        (
            ["ExpiredCode", "Invalid ", "Temporary ", "User account "], .refused(.expired),
            "It is too old; begin again."
        ),
        (
            ["LimitExceeded", "TooMany", "Password attempts ", "Throttling", "RequestLimit", "Provisioned"],
            .rateLimited,
            "The service wants fewer requests."
        ),
        (["Forbidden"], .serviceTrouble, "The pool's firewall stops the request."),
        (
            ["UnexpectedLambda", "InvalidLambdaResponse"], .serviceTrouble,
            "A trigger of the pool fails."
        ),
        (["InternalError", "ConcurrentModification", "InternalServer"], .serviceTrouble, "The service has a failure."),
        (["UsernameExists", "AliasExists", "User cannot "], .refused(.other), "There is such an account already."),
        (["CodeMismatch", "EnableSoftwareTokenMFA"], .refused(.wrongInput), "The code is wrong."),
        (
            ["InvalidPassword", "PasswordHistory"], .refused(.passwordNotAccepted),
            "The new password breaks the pool's rules."
        ),
        (["UserNotConfirmed", "PasswordReset"], .refused(.factorRequired), "The account is not ready to be used."),
        (["UserLambdaValidation"], .refused(.denied), "A trigger of the pool refused."),
        (["InvalidParameter"], .configuration(.invalid), "The app client does not take this request."),
        (["ResourceNotFound", "Unable to ", "Client "], .configuration(.clientRefused), "The app client is refused."),
        (["Unsupported", "OperationNotEnabled"], .configuration(.unsupported), "The pool does not offer this."),
        (["UserNotFound"], .refused(.wrongInput), "The name or the password is wrong."),
    ]

    /// The meaning of the failure. A wrong password and an unknown name mean the same, so that the
    /// answer does not reveal who has an account. A `NotAuthorized` message that is not in the
    /// table means that too.
    private var meaning: Meaning? {
        let words = name == "NotAuthorized" ? text : name
        let known = Self.meanings.first { $0.words.contains(where: words.hasPrefix) }
        return known ?? (name == "NotAuthorized" ? Self.meanings.last : nil)
    }

    /// Returns the failure as an ``/Latchkey/AuthError``.
    ///
    /// - Parameter isTyped: Whether the form of the request can be wrong only because of what a person typed.
    func error(isTyped: Bool) -> AuthError {
        var code = isTyped && name == "InvalidParameter" ? .refused(.wrongInput) : meaning?.code ?? .serviceTrouble
        // Outside a refresh, nobody is signed in yet.
        if code == .signInRequired(.banned) { code = .refused(.denied) }
        let shown = name == "UserNotFound" ? "NotAuthorizedException" : "\(name)Exception"
        let sentence = meaning?.sentence ?? "The service answered HTTP \(answer.status)."
        return answer.error(code, sentence, serviceCode: meaning == nil ? nil : shown).saying(said)
    }

    /// The service's words. About a name that has no account they would say more than the code.
    private var said: ServiceText? {
        ["NotAuthorized", "UserNotFound"].contains(name) ? nil : answer.text(["message", "Message"])
    }

    /// The error that a refresh throws. It is definite only if the service speaks of the token or
    /// the person. A missing device key, or another client's token, has the same exception with another message.
    var refusal: any Error {
        func refusal(_ kind: Refusal.Kind, _ reason: AuthError.SignInRequiredReason = .refused) -> Refusal {
            let code = meaning == nil ? "HTTP \(answer.status)" : "\(name)Exception"
            var refusal = Refusal(
                kind, code: code, requestID: answer.requestID, reason: reason, issuedNothing: meaning != nil)
            refusal.serviceText = answer.text(["message", "Message"])
            return refusal
        }
        switch meaning?.code {
        // The trigger decides about this request, and may decide otherwise another time.
        case .serviceTrouble: return error(isTyped: false)
        case nil where name.isEmpty: return error(isTyped: false)
        case .refused(.denied):
            var trouble = error(isTyped: false)
            trouble.code = .serviceTrouble
            return trouble
        case .signInRequired(let reason) where reason != .notAccepted: return refusal(.definite, reason)
        case .rateLimited, .configuration: return NotSent(error(isTyped: false))
        default: return refusal(name == "UserNotFound" ? .definite : .unexplained)
        }
    }
}
