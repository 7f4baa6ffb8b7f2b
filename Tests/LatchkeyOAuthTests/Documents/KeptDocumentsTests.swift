import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyOAuthCore
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyOAuth

/// A store over which each client is a process, and which fails with the record of documents as it is told.
private final class KeepingStore: CrossProcessStore {
    private let inner: MemoryStore
    let failures = Locked<(read: AuthError?, write: AuthError?)>((nil, nil))

    init(_ inner: MemoryStore) { self.inner = inner }

    private static func isDocuments(_ key: StoreKey) -> Bool { key.name.hasPrefix("documents ") }

    func read(_ key: StoreKey) async throws -> StoredRecord? {
        if Self.isDocuments(key), let error = failures.withLock({ $0.read }) { throw error }
        return try inner.read(key)
    }

    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws -> RecordVersion? {
        if Self.isDocuments(key), let error = failures.withLock({ $0.write }) { throw error }
        return try inner.replace(key, at: version, with: bytes)
    }

    func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] { inner.keys(kind) }

    func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        try await inner.lock(key, deadline: deadline)
    }

    /// The record of documents.
    func documents() async throws -> (key: StoreKey, record: StoredRecord)? {
        guard let key = inner.keys(.settings).first(where: Self.isDocuments), let record = try inner.read(key) else {
            return nil
        }
        return (key, record)
    }

    /// Puts `bytes` in place of the record of documents, as somebody may who can write to the store.
    func spoil(_ edit: ([UInt8]) throws -> [UInt8]) async throws {
        let (key, record) = try #require(try await documents())
        try inner.replace(key, at: record.version, with: try edit(record.bytes))
    }
}

/// One service, one store, and processes that live for one command each.
private struct Scene {
    let clock = ManualClock()
    let service: MovingService
    let truth: LoginService
    let store: KeepingStore
    var keeps = true

    init() throws {
        truth = LoginService(.grant, clock: clock)
        service = try MovingService(truth)
        store = KeepingStore(MemoryStore(context: .testing(clock: clock)))
    }

    /// Somebody has signed in by an earlier process.
    static func signedIn(_ change: (inout MovingService.State) -> Void = { _ in }) async throws -> Scene {
        let scene = try Scene()
        scene.service.change(change)
        try await scene.signIn()
        _ = scene.service.asked()
        return scene
    }

    private func process() throws -> AuthClient {
        var settings = EngineSettings()
        settings.refresh = .onDemand
        settings.familyDeadline = settings.requestDeadline
        settings.keepsDocuments = keeps
        let provider: OAuthProvider = .oauth(issuer: LoginService.issuer, clientID: "app", scopes: ["openid"])
        return try AuthClient.Builder().provider(provider).store(store).transport(service)
            .context(.testing(clock: clock, seed: UInt64.random(in: 1...1_000_000))).settings(settings).build()
    }

    func signIn() async throws {
        let auth = try process()
        let window = ScriptedBrowser(redirect: "http://127.0.0.1:7777/callback") { url in
            let query = FormEncoding.decode(String(url.drop { $0 != "?" }.dropFirst())) ?? FormParameters()
            let code = ["b1", query["nonce"]].compactMap(\.self).joined(separator: ".")
            return "\(query["redirect_uri"] ?? "")?code=\(code)&state=\(query["state"] ?? "")"
        }
        _ = try await auth.signIn(with: "oauth", .browser(), asking: window)
    }

    /// A process that refreshes, and what it asked the service for.
    func refresh() async throws -> [String] {
        _ = try await process().refresh()
        return service.asked()
    }

    /// The same where it fails.
    func refuses() async throws -> (AuthError.Code?, [String]) {
        do {
            _ = try await process().refresh()
            return (nil, service.asked())
        } catch let error as AuthError { return (error.code, service.asked()) }
    }

    /// Whether the person is signed in, and nothing was sent twice.
    var isWhole: Bool { truth.grants.allSatisfy { $0.isAlive && !$0.wasReused } }
}

@Suite("Documents that are kept between processes")
struct KeptDocumentsTests {
    @Test("a refresh in a new process is one request, and so is the next one")
    func one() async throws {
        let scene = try await Scene.signedIn()
        for _ in 0..<3 { #expect(try await scene.refresh() == ["/token"]) }
        #expect(scene.isWhole)
    }

    @Test("without a place to keep documents, each process asks for them")
    func off() async throws {
        var scene = try await Scene.signedIn()
        scene.keeps = false
        #expect(try await scene.refresh() == ["/discovery", "/token", "/jwks"])
    }

    private struct Age: Sendable, CustomTestStringConvertible {
        var fields: HeaderFields
        var age: Duration
        var asked: [String]
        var testDescription: String { "\(fields.lines.map(\.value)) after \(age.components.seconds) s" }
    }

    private static let ages: [Age] = {
        let (kept, gone) = (["/token"], ["/discovery", "/token", "/jwks"])
        func age(_ fields: HeaderFields, _ seconds: Int64, _ asked: [String]) -> Age {
            Age(fields: fields, age: .seconds(seconds), asked: asked)
        }
        let year = "max-age=31536000"
        return [
            age([:], 43_199, kept), age([:], 43_200, gone), age(["Cache-Control": "no-store"], 299, kept),
            age(["Cache-Control": "no-store"], 300, gone), age(["Cache-Control": "max-age=3600"], 3_599, kept),
            age(["Cache-Control": "max-age=3600"], 3_600, gone),
            age(["Cache-Control": "max-age=3600", "Age": "3000"], 600, gone),
            age(["Cache-Control": year], 86_399, kept), age(["Cache-Control": year], 86_400, gone),
            age(["Cache-Control": "max-age=1"], 300, gone), age(["Expires": "0"], 300, gone),
            age(["Pragma": "no-cache"], 300, gone), age(["Cache-Control": "max-age=soon"], 300, gone),
            age(
                ["Date": "Sun, 06 Nov 1994 08:00:00 GMT", "Expires": "Sun, 06 Nov 1994 09:00:00 GMT"], 3_599, kept),
            age(
                ["Date": "Sun, 06 Nov 1994 08:00:00 GMT", "Expires": "Sun, 06 Nov 1994 09:00:00 GMT"], 3_600, gone),
            age(["Expires": "Sun, 06 Nov 2094 09:00:00 GMT"], 300, gone),
        ]
    }()

    @Test(
        "a document is kept for as long as the service says, five minutes at least and a day at most", .law(11),
        arguments: ages)
    private func lifetime(_ row: Age) async throws {
        let scene = try await Scene.signedIn { $0.fields = row.fields }
        scene.clock.advance(by: row.age)
        #expect(try await scene.refresh() == row.asked)
        #expect(scene.isWhole)
    }

    /// What somebody, or a disk, made of the record.
    private enum Spoilt: String, CaseIterable, Sendable {
        case empty, truncated, noJSON, anotherKind, newerFormat, future, anotherIssuer, noDocument, plainEndpoint,
            neverEnds

        func apply(_ bytes: [UInt8]) throws -> [UInt8] {
            let text = String(decoding: bytes, as: UTF8.self)
            func replacing(_ old: String, _ new: String) throws -> [UInt8] {
                try #require(text.contains(old), "\(text)")
                return Array(text.replacing(old, with: new).utf8)
            }
            return switch self {
            case .empty: []
            case .truncated: Array(bytes.dropLast(40))
            case .noJSON: Array("tokens".utf8)
            case .anotherKind: try replacing("latchkey.documents", "latchkey.gate")
            case .newerFormat: try replacing(#""format":1"#, #""format":2"#)
            case .future: try replacing(#""at":"#, #""at":9"#)
            case .anotherIssuer:
                try replacing(#"\"issuer\":\"https://id.example\""#, #"\"issuer\":\"https://evil.example\""#)
            case .noDocument: try replacing(#"\"issuer\":\"https://id.example\""#, #"\"issuer\":7"#)
            case .plainEndpoint: try replacing("https://id.example/token", "http://id.example/token")
            case .neverEnds: try replacing(#""lasts":"#, #""lasts":9"#)
            }
        }
    }

    @Test(
        "a record that is not as it was written is not used: the service is asked", .law(11), arguments: Spoilt.allCases
    )
    private func spoilt(_ spoilt: Spoilt) async throws {
        let scene = try await Scene.signedIn()
        try await scene.store.spoil(spoilt.apply)
        // A longer life than a day is cut to a day.
        if spoilt == .neverEnds { scene.clock.advance(by: .seconds(86_400)) }
        let asked = try await scene.refresh()
        #expect(asked.first == "/discovery" && asked.contains("/token"), "\(asked)")
        // A newer version's record is left alone.
        #expect(try await scene.refresh().first == (spoilt == .newerFormat ? "/discovery" : "/token"))
        #expect(scene.isWhole)
    }

    @Test(
        "a store that does not give or take the record costs a request and nothing else",
        arguments: [
            AuthError.Code.store(.damaged), .store(.insecurePermissions), .store(.unavailable), .store(.full),
            .store(.readOnly), .store(.lockTimeout), .locked,
        ], [true, false])
    func failing(_ code: AuthError.Code, _ isRead: Bool) async throws {
        let scene = try Scene()
        let error = AuthError(code, "no")
        scene.store.failures.withLock { failures in
            if isRead { failures.read = error } else { failures.write = error }
        }
        try await scene.signIn()
        _ = scene.service.asked()
        for _ in 0..<2 { #expect(try await scene.refresh() == ["/discovery", "/token", "/jwks"]) }
        scene.store.failures.withLock { failures in
            failures.read = nil
            failures.write = nil
        }
        #expect(try await scene.refresh() == ["/discovery", "/token", "/jwks"])
        #expect(try await scene.refresh() == ["/token"])
        #expect(scene.isWhole)
    }

    @Test("what another authority or another proxy vouched for is not used", .law(11))
    func trust() async throws {
        let scene = try await Scene.signedIn()
        scene.service.change { $0.trust = "two" }
        #expect(try await scene.refresh() == ["/discovery", "/token", "/jwks"])
        #expect(try await scene.refresh() == ["/token"])
        scene.service.change { $0.trust = "one" }
        #expect(try await scene.refresh() == ["/discovery", "/token", "/jwks"])
    }

    @Test("what a sign-in that failed has fetched is not kept", .law(11))
    func failed() async throws {
        let scene = try await Scene.signedIn()
        let before = try await scene.store.documents()?.record.bytes
        scene.truth.spoil { spoilt in
            var claims = spoilt.claims
            claims["aud"] = "another"
            return try spoilt.sign(claims)
        }
        scene.clock.advance(by: .seconds(400))
        scene.service.change { $0.fields = ["Cache-Control": "max-age=80000"] }
        await #expect(throws: AuthError.self) { try await scene.signIn() }
        #expect(try await scene.store.documents()?.record.bytes == before)
    }

    @Test("a sign-in asks the service itself, whatever is kept", .law(11))
    func anew() async throws {
        let scene = try await Scene.signedIn()
        try await scene.signIn()
        #expect(scene.service.asked().filter { $0 == "/discovery" || $0 == "/jwks" } == ["/discovery", "/jwks"])
    }

    @Test("a key that is not known is asked for once, and is known to the next process")
    func unknownKey() async throws {
        let scene = try await Scene.signedIn()
        let next = try MovingService.Signer("second")
        scene.service.change { $0.key = next }
        #expect(try await scene.refresh() == ["/token", "/jwks"])
        #expect(try await scene.refresh() == ["/token"])
        // A key that the service does not list is asked for once in each process, and costs nobody the session.
        scene.service.change { $0.listsKey = false }
        let third = try MovingService.Signer("third")
        scene.service.change { $0.key = third }
        #expect(try await scene.refresh() == ["/token", "/jwks"])
        #expect(scene.isWhole)
    }

    private struct Former: Sendable, CustomTestStringConvertible {
        var name: String
        var asksAgain: Bool
        var code: AuthError.Code
        var answer: @Sendable () throws -> TransportResponse
        var testDescription: String { name }
    }

    private static let formers: [Former] = {
        func status(_ status: Int, _ asksAgain: Bool, _ code: AuthError.Code) -> Former {
            Former(name: "\(status)", asksAgain: asksAgain, code: code) { TransportResponse(status: status) }
        }
        func refused(_ error: String, _ status: Int, _ asksAgain: Bool, _ code: AuthError.Code) -> Former {
            Former(name: error, asksAgain: asksAgain, code: code) {
                TransportResponse(
                    status: status, fields: ["Content-Type": "application/json"],
                    body: Array(#"{"error":"\#(error)"}"#.utf8))
            }
        }
        func failing(
            _ name: String, _ cause: TransportError.Cause?, _ wasSent: Bool, _ asksAgain: Bool,
            _ code: TransportError.Code = .unreachable
        ) -> Former {
            Former(name: name, asksAgain: asksAgain, code: .offline(.unreachable)) {
                var error = TransportError(code, wasSent: wasSent)
                error.cause = cause
                throw error
            }
        }
        return [
            status(404, true, .serviceTrouble), status(405, true, .serviceTrouble), status(410, true, .serviceTrouble),
            status(503, false, .serviceTrouble), status(500, false, .serviceTrouble), status(429, false, .rateLimited),
            refused("invalid_client", 401, true, .configuration(.clientRefused)),
            refused("invalid_grant", 400, false, .signInRequired(.refused)),
            failing("no host", .noSuchHost, false, true), failing("refused", .connectionRefused, false, true),
            failing("no network", .noRoute, false, false),
            failing("timed out", nil, true, false, .timedOut), failing("interrupted", nil, true, false, .interrupted),
        ]
    }()

    @Test(
        "where the endpoint has moved, the document is asked for anew and the token sent to the new one", .law(1),
        arguments: formers)
    private func moved(_ former: Former) async throws {
        let scene = try await Scene.signedIn()
        scene.service.change { ($0.token, $0.former) = ("/token2", former.answer) }
        guard former.asksAgain else {
            let (code, asked) = try await scene.refuses()
            #expect(code == former.code && asked == ["/token"])
            return
        }
        #expect(try await scene.refresh() == ["/token", "/discovery", "/token2"])
        #expect(try await scene.refresh() == ["/token2"])
        #expect(scene.isWhole)
    }

    @Test(
        "where the document names the same endpoint as before, the token is not sent there again", .law(1),
        arguments: formers)
    private func same(_ former: Former) async throws {
        let scene = try await Scene.signedIn()
        // The endpoint itself answers so.
        scene.service.change { ($0.token, $0.former) = ("/token", former.answer) }
        scene.service.change { $0.token = "/nowhere" }
        let document = try await scene.documentOfNow(naming: "/token")
        scene.service.change { $0.document = document }
        let (code, asked) = try await scene.refuses()
        #expect(code != nil)
        #expect(asked == (former.asksAgain ? ["/token", "/discovery"] : ["/token"]))
        // What was contradicted is not kept.
        #expect(
            (try await scene.store.documents()?.record.bytes).map { String(decoding: $0, as: UTF8.self) }?
                .contains("openid-configuration") == !former.asksAgain)
    }

    @Test("a process asks anew once in a minute, however often an endpoint is not there")
    func often() async throws {
        let scene = try await Scene.signedIn()
        scene.service.change { $0.token = "/nowhere" }
        let document = try await scene.documentOfNow(naming: "/token")
        scene.service.change { $0.document = document }
        let auth = try scene.another()
        for expected in [["/token", "/discovery"], ["/token"], ["/token"]] {
            await #expect(throws: AuthError.self) { try await auth.refresh() }
            #expect(scene.service.asked() == expected)
            scene.clock.advance(by: .seconds(11))
        }
    }
}

extension Scene {
    /// The document with `path` as the token endpoint.
    fileprivate func documentOfNow(naming path: String) async throws -> TransportResponse {
        let address = LoginService.issuer + "/.well-known/openid-configuration"
        var response = try await truth.send(TransportRequest("GET", address), deadline: .seconds(1))
        var members = try JSON.parse(response.body).object ?? [:]
        members["token_endpoint"] = .string(LoginService.issuer + path)
        response.body = JSON.object(members).serialized()
        return response
    }

    fileprivate func another() throws -> AuthClient { try process() }
}
