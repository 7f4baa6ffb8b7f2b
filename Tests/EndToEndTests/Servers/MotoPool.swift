import FoundationEssentials
import Latchkey
import LatchkeyCognito
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyFileStore
import LatchkeyJSON
import LatchkeyTesting

/// A user pool at moto, one app client of it, and an administrator.
struct MotoPool: Sendable {
    let origin: String
    let tap: Tap
    let provider: CognitoProvider
    private let pool: String

    /// A pool that wants an authenticator app of everybody, or leaves it to them.
    init(
        at origin: String, over tap: Tap, wantsApp: Bool = false, hasSecret: Bool = false,
        named name: ProviderID = "cognito"
    ) async throws {
        (self.origin, self.tap) = (origin, tap)
        let made = try await Self.call(
            "CreateUserPool", ["PoolName": .string(name.name), "AutoVerifiedAttributes": ["email"]], origin, tap)
        pool = try JSONField(made)["UserPool"]["Id"].string()
        let members: JSON = [
            "UserPoolId": .string(pool), "MfaConfiguration": wantsApp ? "ON" : "OPTIONAL",
            "SoftwareTokenMfaConfiguration": ["Enabled": true],
        ]
        _ = try await Self.call("SetUserPoolMfaConfig", members, origin, tap)
        let flows: JSON = ["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"]
        let asked: JSON = [
            "UserPoolId": .string(pool), "ClientName": "app", "GenerateSecret": .bool(hasSecret),
            "ExplicitAuthFlows": flows,
        ]
        let client = JSONField(try await Self.call("CreateUserPoolClient", asked, origin, tap))["UserPoolClient"]
        var provider = CognitoProvider.cognito(
            userPool: pool, clientID: try client["ClientId"].string(),
            clientSecret: try client["ClientSecret"].optional.map { Secret(try $0.string()) }, named: name)
        provider.endpoint = origin
        self.provider = provider
    }

    /// Makes a person; with `permanent` their password needs no change.
    func add(_ user: String, password: String, permanent: Bool, sms: Bool = false) async throws {
        let who: [String: JSON] = ["UserPoolId": .string(pool), "Username": .string(user)]
        func administer(_ operation: String, _ more: [String: JSON]) async throws {
            _ = try await Self.call(operation, .object(who.merging(more) { $1 }), origin, tap)
        }
        try await administer("AdminCreateUser", ["TemporaryPassword": .string(password)])
        if permanent {
            try await administer("AdminSetUserPassword", ["Password": .string(password), "Permanent": true])
        }
        if sms {
            try await administer(
                "AdminSetUserMFAPreference", ["SMSMfaSettings": ["Enabled": true, "PreferredMfa": true]])
        }
    }

    /// The status of a call that a client makes.
    func status(_ operation: String, _ members: JSON) async throws -> Int {
        try await Self.send(operation, members, origin, tap).status
    }

    private static func call(
        _ operation: String, _ members: JSON, _ origin: String, _ tap: Tap
    ) async throws -> JSON {
        let response = try await send(operation, members, origin, tap)
        guard response.status == 200 else {
            throw ServerFailure(
                description: "moto refuses \(operation): \(String(decoding: response.body, as: UTF8.self))")
        }
        return response.body.isEmpty ? .null : try JSON.parse(response.body)
    }

    private static func send(
        _ operation: String, _ members: JSON, _ origin: String, _ tap: Tap
    ) async throws -> TransportResponse {
        // moto reads the region in it, and nothing else. Where a client's call has none, it takes this one.
        let scope = "AWS4-HMAC-SHA256 Credential=moto/20260101/us-east-1/cognito-idp/aws4_request"
        let fields: HeaderFields = [
            "Content-Type": "application/x-amz-json-1.1", "Authorization": scope,
            "X-Amz-Target": "AWSCognitoIdentityProviderService.\(operation)",
        ]
        let request = TransportRequest("POST", origin + "/", fields: fields, body: members.serialized())
        return try await tap.send(request, deadline: .seconds(20))
    }
}

/// Somebody with an authenticator app, who answers what a pool asks.
struct MotoPerson: Sendable {
    /// The fields that are asked for.
    var fields: [String: String] = [:]
    /// What came by text message or mail. moto sends nothing and takes any.
    var sent = "123456"

    var presenter: ScriptedPresenter {
        ScriptedPresenter { challenge in
            switch challenge.ask {
            case .fields: .fields(fields.mapValues { Secret($0) })
            case .code: .code(Secret(sent))
            case .totp, .enrolment: .code(Secret(Self.code))
            default: .declined
            }
        }
    }

    /// The code of an app that was set up at moto, which gives everybody the same key.
    static var code: String {
        DevServer.TOTP.code(secret: "asdfasdfasdf", at: Date().timeIntervalSince1970) ?? ""
    }
}
