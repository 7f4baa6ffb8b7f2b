import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting

/// A user pool in memory, which a transport reaches without a socket: there is no server of this dialect here. It
/// knows what a sign-in needs, and answers as the service's documentation says.
final class CognitoPool: HTTPTransport {
    private struct User {
        var password: String
        var isConfirmed = true
        /// The key of an authenticator app.
        var key: String?
    }

    private struct State {
        var users: [String: User] = [:]
        /// Who is signing in, by the service's name for the attempt.
        var attempts: [String: String] = [:]
        var serial = 0
        var sent: [String] = []
    }

    static let id = "eu-west-1_AbCdEfGhI"
    static let code = "123456"
    private let state: Locked<State>
    private let clock: ManualClock
    /// Whether people without an authenticator app must set one up to sign in.
    private let demandsApp: Bool

    init(clock: ManualClock, key: String, demandsApp: Bool = false) {
        let dialect = Dialect.cognito
        state = Locked(
            State(users: [
                dialect.address(.ada): User(password: dialect.password(.ada)),
                dialect.address(.grace): User(password: dialect.password(.grace), key: key),
            ]))
        (self.clock, self.demandsApp) = (clock, demandsApp)
    }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let operation = request.fields["X-Amz-Target"]?.split(separator: ".").last.map(String.init) ?? ""
        let asked = try JSON.parse(request.body ?? [])
        let body = state.withLock { answer(operation, asked, &$0) }
        return TransportResponse(status: body["__type"] == nil ? 200 : 400, body: body.serialized())
    }

    private func answer(_ operation: String, _ asked: JSON, _ state: inout State) -> JSON {
        let name = asked["Username"]?.string ?? asked["AuthParameters"]?["USERNAME"]?.string ?? ""
        let isRight = asked["ConfirmationCode"]?.string == Self.code
        switch operation {
        case "SignUp":
            state.users[name] = User(password: asked["Password"]?.string ?? "", isConfirmed: false)
            return ["UserConfirmed": false, "CodeDeliveryDetails": Self.delivery(name)]
        case "ConfirmSignUp" where isRight: state.users[name]?.isConfirmed = true
        case "ForgotPassword": return ["CodeDeliveryDetails": Self.delivery(name)]
        case "ConfirmForgotPassword" where isRight:
            state.users[name]?.password = asked["Password"]?.string ?? ""
            state.users[name]?.isConfirmed = true
        case "ConfirmSignUp", "ConfirmForgotPassword": return Self.refusal("CodeMismatch", "Wrong.")
        case "InitiateAuth" where asked["AuthFlow"] == "REFRESH_TOKEN_AUTH":
            return granted(asked["AuthParameters"]?["REFRESH_TOKEN"]?.string ?? "", &state)
        case "InitiateAuth": return begin(name, asked["AuthParameters"]?["PASSWORD"]?.string, &state)
        case "RespondToAuthChallenge": return proceed(asked, &state)
        case "AssociateSoftwareToken":
            let session = asked["Session"]?.string ?? ""
            state.users[state.attempts[session] ?? ""]?.key = Self.newKey
            return ["SecretCode": .string(Self.newKey), "Session": .string(session)]
        case "VerifySoftwareToken":
            let session = asked["Session"]?.string ?? ""
            guard isCode(asked["UserCode"]?.string, of: Self.newKey) else {
                return Self.refusal("EnableSoftwareTokenMFA", "Wrong.")
            }
            return ["Status": "SUCCESS", "Session": .string(session)]
        case "GetTokensFromRefreshToken": return granted(asked["RefreshToken"]?.string ?? "", &state)
        default: break
        }
        return [:]
    }

    static let newKey = "KRSXG5CTMVRXEZLUKRSXG5CTMVRXEZLU"

    private func begin(_ name: String, _ password: String?, _ state: inout State) -> JSON {
        guard let user = state.users[name], user.password == password else {
            return Self.refusal("NotAuthorized", "Incorrect username or password.")
        }
        guard user.isConfirmed else { return Self.refusal("UserNotConfirmed", "Not confirmed.") }
        state.serial += 1
        let session = "attempt-\(state.serial)"
        state.attempts[session] = name
        if user.key != nil { return Self.challenge("SOFTWARE_TOKEN_MFA", session) }
        guard demandsApp else { return granted(name, &state) }
        return Self.challenge("MFA_SETUP", session, ["MFAS_CAN_SETUP": #"["SOFTWARE_TOKEN_MFA"]"#])
    }

    private func proceed(_ asked: JSON, _ state: inout State) -> JSON {
        let name = state.attempts[asked["Session"]?.string ?? ""] ?? ""
        if asked["ChallengeName"] == "SOFTWARE_TOKEN_MFA",
            !isCode(asked["ChallengeResponses"]?["SOFTWARE_TOKEN_MFA_CODE"]?.string, of: state.users[name]?.key)
        {
            return Self.refusal("CodeMismatch", "Wrong.")
        }
        return granted(name, &state)
    }

    private func isCode(_ code: String?, of key: String?) -> Bool {
        guard let key, let code else { return false }
        return DevServer.TOTP.code(secret: key, at: clock.wall().timeIntervalSince1970) == code
    }

    /// Tokens, whose refresh token is the person's address.
    private func granted(_ name: String, _ state: inout State) -> JSON {
        state.serial += 1
        let claims: JSON = [
            "iss": .string("https://cognito-idp.eu-west-1.amazonaws.com/\(Self.id)"), "sub": .string("sub-of-\(name)"),
            "client_id": "client1", "username": .string(name), "origin_jti": .string("origin-\(state.serial)"),
        ]
        let result: JSON = [
            "AccessToken": Self.token(claims), "ExpiresIn": 3600, "TokenType": "Bearer",
            "IdToken": Self.token(["sub": .string("sub-of-\(name)"), "email": .string(name)]),
            "RefreshToken": .string(name),
        ]
        return ["AuthenticationResult": result, "ChallengeParameters": [:]]
    }

    private static func token(_ claims: JSON) -> JSON {
        let parts = [["alg": "RS256"], claims].map { Base64URL.encode($0.serialized()) }
        return .string(parts.joined(separator: ".") + ".c2lnbmF0dXJl")
    }

    private static func challenge(_ name: String, _ session: String, _ parameters: JSON = [:]) -> JSON {
        ["ChallengeName": .string(name), "Session": .string(session), "ChallengeParameters": parameters]
    }

    private static func delivery(_ name: String) -> JSON {
        ["DeliveryMedium": "EMAIL", "Destination": .string("\(name.prefix(1))***@e***")]
    }

    private static func refusal(_ exception: String, _ text: String) -> JSON {
        ["__type": .string("\(exception)Exception"), "message": .string(text)]
    }
}
