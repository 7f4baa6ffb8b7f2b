import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyHTTPServer
import LatchkeyJSON
import LatchkeySystem
import Testing

/// A server with a clock that stands still until it is moved, asked without sockets.
final class Harness: Sendable {
    typealias Pairs = [(name: String, value: String)]

    let server: DevServer
    private let time: Locked<Double>
    /// What the server was told to wait for.
    let waits: Locked<[Double]>

    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    static let redirect = "http://127.0.0.1:49152/callback"
    static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
    static let start = 1_795_000_000.0

    init(autoApprove: Bool = true, _ change: (inout DevServer.Configuration) -> Void = { _ in }) throws {
        let (time, waits) = (Locked(Self.start), Locked<[Double]>([]))
        var configuration = DevServer.Configuration(autoApprove: autoApprove)
        configuration.now = { time.withLock { $0 } }
        configuration.sleep = { seconds in waits.withLock { $0.append(seconds) } }
        configuration.signing = .es256
        change(&configuration)
        server = try DevServer(configuration)
        (self.time, self.waits) = (time, waits)
    }

    deinit { server.stop() }

    func advance(_ seconds: Double) { time.withLock { $0 += seconds } }

    func send(_ method: String, _ target: String, fields: Pairs = [], body: [UInt8] = []) async throws -> Answer {
        try #require(try await ask(method, target, fields: fields, body: body))
    }

    /// The answer, `nil` when the connection is dropped.
    func ask(_ method: String, _ target: String, fields: Pairs = [], body: [UInt8] = []) async throws -> Answer? {
        var fields = fields
        if !fields.contains(where: { $0.name == "Host" }) { fields.append(("Host", "127.0.0.1:\(server.port)")) }
        let request = try #require(ServerRequest(method, target, fields: fields, body: body))
        return await server.answer(request).map(Answer.init)
    }

    func get(_ target: String, bearer: String? = nil) async throws -> Answer {
        try await send("GET", target, fields: bearer.map { [("Authorization", "Bearer \($0)")] } ?? [])
    }

    func post(_ target: String, _ form: Pairs, fields: Pairs = []) async throws -> Answer {
        try await send("POST", target, fields: fields + [Self.formType], body: Self.encoded(form))
    }

    static let formType = (name: "Content-Type", value: "application/x-www-form-urlencoded")

    static func encoded(_ form: Pairs) -> [UInt8] { Array(FormPairs.encode(form).utf8) }

    func control(_ command: String, _ document: String = "{}") async throws -> Answer {
        try await send(
            "POST", "/control/\(command)", fields: [("X-Latchkey-Control", "1")], body: Array(document.utf8))
    }

    /// Parameters of an authorization request that is granted, changed by `changes`; `nil` leaves one out.
    static func authorization(_ changes: [String: String?] = [:]) -> Pairs {
        let plain: Pairs = [
            ("response_type", "code"), ("client_id", "dev-native"), ("redirect_uri", redirect),
            ("scope", "openid profile email offline_access"), ("state", "s+t/1"), ("nonce", "n-1"),
            ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ]
        return changed(plain, changes)
    }

    static func changed(_ pairs: Pairs, _ changes: [String: String?]) -> Pairs {
        let kept = pairs.compactMap { pair -> (name: String, value: String)? in
            guard let change = changes[pair.name] else { return pair }
            return change.map { (pair.name, $0) }
        }
        let added = changes.sorted { $0.key < $1.key }.compactMap { name, value in
            pairs.contains { $0.name == name } ? nil : value.map { (name: name, value: $0) }
        }
        return kept + added
    }

    func authorize(_ changes: [String: String?] = [:]) async throws -> Answer {
        try await get("/authorize?\(FormPairs.encode(Self.authorization(changes)))")
    }

    func code(_ changes: [String: String?] = [:]) async throws -> String {
        try #require(try await authorize(changes).redirectParameter("code"))
    }

    static func exchange(_ code: String, _ changes: [String: String?] = [:]) -> Pairs {
        changed(
            [
                ("grant_type", "authorization_code"), ("client_id", "dev-native"), ("code", code),
                ("redirect_uri", redirect), ("code_verifier", verifier),
            ], changes)
    }

    /// Signs in and gives the token answer.
    func signIn(_ changes: [String: String?] = [:]) async throws -> Answer {
        let answer = try await post("/token", Self.exchange(try await code(changes)))
        try #require(answer.status == 200)
        return answer
    }

    func refresh(_ token: String, _ changes: [String: String?] = [:]) async throws -> Answer {
        try await post("/token", Self.refreshing(token, changes))
    }

    static func refreshing(_ token: String, _ changes: [String: String?] = [:]) -> Pairs {
        changed([("grant_type", "refresh_token"), ("client_id", "dev-native"), ("refresh_token", token)], changes)
    }

    func isAccepted(_ accessToken: String) async throws -> Bool {
        try await get("/resource", bearer: accessToken).status == 200
    }
}

/// An answer, read.
struct Answer {
    var response: ServerResponse

    init(_ response: ServerResponse) {
        self.response = response
    }

    var status: Int { response.status }
    var text: String { String(decoding: response.body, as: UTF8.self) }
    var json: JSON { (try? JSON.parse(response.body, limits: JSONLimits(bytes: 4 << 20))) ?? .null }
    var error: String? { json["error"]?.string }
    var accessToken: String { json["access_token"]?.string ?? "" }
    var refreshToken: String { json["refresh_token"]?.string ?? "" }

    func field(_ name: String) -> String? { response.field(name) }

    /// A parameter of the redirect, when it stands there once.
    func redirectParameter(_ name: String) -> String? {
        guard let location = field("Location"), let mark = location.firstIndex(of: "?"),
            let pairs = FormPairs.decode(Array(location[location.index(after: mark)...].utf8))
        else { return nil }
        let values = pairs.filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }

    /// Header and claims of the ID token, once one of the published keys has verified it.
    func idToken(verifiedBy keys: JSON) throws -> (header: JSON, claims: JSON) {
        try Self.token(try #require(json["id_token"]?.string), verifiedBy: keys)
    }

    /// Header and claims of a token, the same.
    static func token(_ token: String, verifiedBy keys: JSON) throws -> (header: JSON, claims: JSON) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        let header = try JSON.parse(Base64URL.decode(parts[0]))
        let key = try #require(keys["keys"]?.array?.first { $0["kid"] == header["kid"] })
        let algorithm = try #require(SignatureAlgorithm(rawValue: header["alg"]?.string ?? ""))
        #expect(key["alg"] == header["alg"])
        let valid = try publicKey(key).verify(
            signature: Base64URL.decode(parts[2]), of: Array("\(parts[0]).\(parts[1])".utf8), algorithm: algorithm)
        #expect(valid)
        return (header, try JSON.parse(Base64URL.decode(parts[1])))
    }

    static func publicKey(_ jwk: JSON) throws -> PublicKey {
        func bytes(_ name: String) throws -> [UInt8] { try Base64URL.decode(jwk[name]?.string ?? "") }
        switch jwk["kty"]?.string {
        case "RSA": return try PublicKey(rsaModulus: bytes("n"), exponent: bytes("e"))
        case "EC": return try PublicKey(ec: .p256, x: bytes("x"), y: bytes("y"))
        default: return try PublicKey(ed25519: bytes("x"))
        }
    }
}

/// One row of a table of refusals.
struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var changes: [String: String?]
    var error: String

    init(_ name: String, _ changes: [String: String?], _ error: String) {
        testDescription = name
        self.changes = changes
        self.error = error
    }
}
