import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeySystem
import LatchkeyOAuthCore
import LatchkeyTesting

/// A service whose endpoints and keys move, and which counts what it is asked for.
final class MovingService: TrustNaming {
    struct State {
        /// The path of the token endpoint.
        var token = "/token"
        /// What is at the path where the token endpoint was.
        var former: @Sendable () throws -> TransportResponse = { TransportResponse(status: 404) }
        /// The fields of the documents.
        var fields: HeaderFields = [:]
        /// The answer to everything but tokens, if it is not the usual one.
        var document: TransportResponse?
        /// The issuer that the document names.
        var issuer = LoginService.issuer
        var trust = "one"
        var key: Signer
        /// Whether the key set has the key that signs.
        var listsKey = true
        var paths: [String] = []
    }

    struct Signer: Sendable {
        let key: PrivateKey
        let id: String

        init(_ id: String) throws { (key, self.id) = (try .generate(.p256), id) }
    }

    private let inner: LoginService
    private let state: Locked<State>

    init(_ inner: LoginService) throws {
        self.inner = inner
        state = Locked(State(key: try Signer("first")))
    }

    var trust: String { state.withLock { $0.trust } }

    func change(_ edit: (inout State) -> Void) { state.withLock { edit(&$0) } }

    /// The paths that were asked for since the last call, without the `well-known` ones' ends.
    func asked() -> [String] {
        state.withLock { state in
            defer { state.paths = [] }
            return state.paths
        }
    }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let path = WebAddress(request.url)?.path ?? ""
        let now = state.withLock { state in
            state.paths.append(path == "/.well-known/openid-configuration" ? "/discovery" : path)
            return state
        }
        if path == now.token {
            var inside = request
            inside.url = LoginService.issuer + "/token"
            return try resigned(try await inner.send(inside, deadline: deadline), now.key)
        }
        if path.hasPrefix("/token") { return try now.former() }
        if path == "/.well-known/openid-configuration" || path == "/jwks", let document = now.document {
            return document
        }
        var response = try await inner.send(request, deadline: deadline)
        if path == "/jwks" {
            var key = JSONWebKey(now.key.key.publicKey).json.object ?? [:]
            key["kid"] = .string(now.listsKey ? now.key.id : "another")
            response.body = JSON.object(["keys": .array([.object(key)])]).serialized()
        }
        if path == "/.well-known/openid-configuration" {
            var members = try JSON.parse(response.body).object ?? [:]
            members["token_endpoint"] = .string(LoginService.issuer + now.token)
            members["issuer"] = .string(now.issuer)
            response.body = JSON.object(members).serialized()
        }
        for (name, value) in now.fields.lines { response.fields[name] = value }
        return response
    }

    /// The answer with its ID token signed by `signer`.
    private func resigned(_ response: TransportResponse, _ signer: Signer) throws -> TransportResponse {
        guard var members = try JSON.parse(response.body).object, let token = members["id_token"]?.string else {
            return response
        }
        let payload = try Base64URL.decode(token.split(separator: ".")[1])
        members["id_token"] = .string(
            try JSONWebSignature.sign(payload, header: ["kid": .string(signer.id)], with: signer.key, algorithm: .es256)
        )
        var response = response
        response.body = JSON.object(members).serialized()
        return response
    }
}
