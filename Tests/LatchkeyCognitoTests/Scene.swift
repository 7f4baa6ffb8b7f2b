import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Testing

@testable import LatchkeyCognito

/// A user pool from a script: each operation has answers, of which the last is given again and again.
struct Scene: Sendable {
    static let pool = "eu-west-1_AbCdEfGhI"
    static let issuer = "https://cognito-idp.eu-west-1.amazonaws.com/\(pool)"
    static let url = "https://cognito-idp.eu-west-1.amazonaws.com/"

    let clock = ManualClock()
    let transport = ScriptedTransport()
    var provider = CognitoProvider.cognito(userPool: pool, clientID: "client1")
    var context: ProviderContext
    private let answers = Locked<[String: [@Sendable (JSON) -> TransportResponse]]>([:])

    init() {
        let world = PluginContext.testing(clock: clock)
        let memory = DeviceMemory(MemoryStore(context: world), of: provider.rules.binding)
        context = ProviderContext(world: world, transport: transport, cache: KeepingCache(), memory: memory)
        let answers = answers
        transport.always(
            "POST", Self.url,
            .made { request in
                let operation = Self.operation(of: request)
                let next = answers.withLock { answers in
                    answers[operation].flatMap { $0.count > 1 ? answers[operation]?.removeFirst() : $0.first }
                }
                let asked = (try? JSON.parse(request.body ?? [])) ?? .null
                return next?(asked) ?? Self.refusal("UnknownOperationException", operation)
            })
    }

    /// What the service answers to an operation, after what was set for it before.
    func answers(_ operation: String, _ body: JSON = [:], status: Int = 200) {
        let answer = TransportResponse(status: status, body: body.serialized())
        answers.withLock { $0[operation, default: []].append { _ in answer } }
    }

    /// What the service makes of what is asked; an exception where it has a `__type`.
    func answers(_ operation: String, _ make: @escaping @Sendable (JSON) -> JSON) {
        answers.withLock {
            $0[operation, default: []].append { asked in
                let body = make(asked)
                return TransportResponse(status: body["__type"] == nil ? 200 : 400, body: body.serialized())
            }
        }
    }

    /// By which exception the service refuses an operation.
    func refuses(_ operation: String, _ exception: String, _ text: String = "No.") {
        answers.withLock { $0[operation, default: []].append { _ in Self.refusal(exception, text) } }
    }

    static func refusal(_ exception: String, _ text: String = "No.", status: Int = 400) -> TransportResponse {
        let body: JSON = ["__type": .string(exception), "message": .string(text)]
        return TransportResponse(status: status, fields: ["x-amzn-RequestId": "request-1"], body: body.serialized())
    }

    static func operation(of request: TransportRequest) -> String {
        request.fields["X-Amz-Target"]?.split(separator: ".").last.map(String.init) ?? ""
    }

    /// What was asked by an operation, in order.
    func asked(_ operation: String) throws -> [JSON] {
        try transport.requests.filter { Self.operation(of: $0) == operation }.map { try JSON.parse($0.body ?? []) }
    }

    func begin(_ request: SignInRequest) async throws -> Turn {
        try await provider.begin(request, SignInOptions(), in: context)
    }

    /// Signs in by password, as `ada`.
    func signIn() async throws -> Turn {
        try await begin(.signIn(.password(identifier: "ada", Secret("correct horse"))))
    }

    func answer(_ answer: Answer, _ turn: Turn) async throws -> Turn {
        try await provider.answer(answer, to: try #require(turn.challenge), in: context)
    }

    /// Somebody who is signed in.
    func principal() async throws -> Principal {
        answers("InitiateAuth", Self.granted())
        guard case .signedIn(let grant) = try await signIn() else { throw Unexpected() }
        let binding = provider.rules.binding
        let credential = Credential(
            id: Credential.ID("c"), binding: binding, refreshToken: grant.refreshToken, sessions: grant.sessions)
        return Principal(credential, session: grant.sessions[0])
    }

    static func token(_ claims: JSON) -> JSON {
        let parts = [["alg": "RS256"], claims].map { Base64URL.encode($0.serialized()) }
        return .string("\(parts[0]).\(parts[1]).c2lnbmF0dXJl")
    }

    /// An answer with tokens.
    static func granted(
        refresh: String? = "refresh-token-1", subject: String = "sub-1", device: String? = nil, claims: JSON = [:]
    ) -> JSON {
        let own: JSON = [
            "iss": .string(issuer), "sub": .string(subject), "client_id": "client1", "username": "user-1",
            "origin_jti": "origin-1", "auth_time": 1_795_000_000, "scope": "aws.cognito.signin.user.admin",
        ]
        let access = (own.object ?? [:]).merging(claims.object ?? [:]) { $1 }
        let metadata = device.map { JSON.object(["DeviceKey": .string($0), "DeviceGroupKey": "-group"]) }
        let result = JSON.of([
            "AccessToken": token(.object(access)),
            "IdToken": token(["sub": .string(subject), "email": "ada@example.test"]),
            "ExpiresIn": 3600, "TokenType": "Bearer", "RefreshToken": refresh.map(JSON.string),
            "NewDeviceMetadata": metadata,
        ])
        return ["AuthenticationResult": result, "ChallengeParameters": [:]]
    }

    static func challenge(_ name: String, _ parameters: JSON = [:], session: String = "session-1") -> JSON {
        ["ChallengeName": .string(name), "Session": .string(session), "ChallengeParameters": parameters]
    }
}

/// Something else came than the test is about.
struct Unexpected: Error {}

extension Turn {
    var challenge: Challenge? {
        guard case .asked(let challenge) = self else { return nil }
        return challenge
    }

    var ask: Ask? { challenge?.ask }

    var grant: Grant? {
        guard case .signedIn(let grant) = self else { return nil }
        return grant
    }
}

/// The error of the provider that `work` throws.
func failure(_ work: () async throws -> Turn) async -> AuthError? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error as? AuthError
    }
}
