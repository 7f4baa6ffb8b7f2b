import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyOAuthCore
import LatchkeyPluginKit

/// The Frontend API for one call of the provider. It sends the client token and keeps the newer one
/// that any answer may bring.
struct ClerkService: Sendable {
    /// The version of the API that this provider was written against.
    static let version = "2026-05-12"
    /// The path whose answer is a list.
    static let sessionsPath = "/me/sessions/active"
    /// The members of which every other answer has one.
    private static let members = ["response", "client", "object", "jwt", "auth_config"]
    /// Answers for a person with many organizations are large.
    private static let limits = JSONLimits(bytes: 8 << 20, depth: 64)

    let provider: ClerkProvider
    let context: ProviderContext
    /// Makes the error to throw from a refusal of the service.
    var wording: @Sendable (ClerkFailure) -> any Error = { $0.error(isSigningIn: true) }
    /// The client that the token belongs to; `nil` if it is not known.
    private let client: String?
    private let token: Locked<Secret?>
    private let changed = Locked(false)
    private let foreign = Locked(false)

    /// - Parameters:
    ///   - token: The client token; `nil` if the service has not given one yet.
    ///   - credential: The credential that the token belongs to; `nil` if there is none yet.
    init(_ provider: ClerkProvider, _ context: ProviderContext, token: Secret?, of credential: Credential? = nil) {
        (self.provider, self.context) = (provider, context)
        self.token = Locked(token)
        client = credential?.state["client"]?.string
    }

    /// Whether the call began without a client of the service, so that everything on it was made by this call.
    var isOfNewClient: Bool { client == nil }

    /// The client token after the last answer; `nil` if there is none.
    var clientToken: Secret? { token.withLock { $0 } }

    /// Whether an answer brought another client token than the first one.
    var isRotated: Bool { changed.withLock { $0 } }

    /// Whether the service has answered with a new client of its own, as it does for a token that
    /// was replaced. That client's token opens nothing that the token that was sent opened.
    var isForeign: Bool { foreign.withLock { $0 } }

    /// The newest token of the same client, if it differs from the first one.
    var newToken: Secret? { isRotated && !isForeign ? clientToken : nil }

    /// Hands the newest client token to the engine, for a call that cannot return it.
    func carry() {
        if let newToken { context.carry(newToken) }
    }

    /// Sends a form and returns the answer; if the answer has an envelope, its `response`.
    func post(_ path: String, _ form: FormParameters = FormParameters(), method: String = "POST") async throws -> JSON {
        try await send(method, path, body: Array(FormEncoding.encode(form).utf8))
    }

    func get(_ path: String, _ query: FormParameters = FormParameters()) async throws -> JSON {
        try await send("GET", path, query)
    }

    func delete(_ path: String) async throws -> JSON { try await send("DELETE", path) }

    /// Sends a request and returns the answer's `response`, or the whole answer if it has none:
    /// tokens and the environment have no envelope.
    func send(
        _ method: String, _ path: String, _ query: FormParameters = FormParameters(), body: [UInt8]? = nil,
        type: String = "application/x-www-form-urlencoded"
    ) async throws -> JSON {
        var query = query
        // Makes the service read the Authorization field instead of a cookie.
        query.add("_is_native", "true")
        let url = "\(provider.base)/v1\(path)?\(FormEncoding.encode(query))"
        guard WebAddress(url)?.isSecure == true else {
            throw NotSent(provider.error(.configuration(.invalid), "The proxy's address cannot be used."))
        }
        var request = TransportRequest(method, url, fields: ["Accept": "application/json"])
        request.fields["clerk-api-version"] = Self.version
        request.fields["x-mobile"] = "1"
        for (name, value) in provider.device?.fields ?? [] { request.fields[name] = value }
        if let body {
            request.fields["Content-Type"] = type
            request.body = body
        }
        if let token = clientToken { request.fields["Authorization"] = try field(token) }
        let wording = wording
        var service = JSONService(
            provider.base, of: provider.name, in: context, requestIDField: "x-clerk-trace-id",
            explaining: { wording(ClerkFailure($0)) })
        service.limits = Self.limits
        service.isOwn = { status, body in
            guard (200...299).contains(status) else { return ClerkFailure.isOwn(body) }
            return body.array != nil ? path == Self.sessionsPath : Self.members.contains { body[$0] != nil }
        }
        let response = try await context.send(request)
        adopt(response)
        noteClient(response)
        let answer = try service.read(response, to: request).body
        return answer.object?["response"] ?? answer
    }

    /// Checks, before anything is sent, that the client token can be.
    func checkToken() throws(NotSent) {
        if let token = clientToken { _ = try field(token) }
    }

    /// Returns the token for the header field, as it is, without `Bearer`.
    private func field(_ token: Secret) throws(NotSent) -> String {
        guard !token.isEmpty, token.reveal().allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw NotSent(provider.error(.configuration(.invalid), "The client token cannot stand in a header field."))
        }
        return token.revealText()
    }

    private func noteClient(_ response: TransportResponse) {
        guard let client, !isForeign, let body = try? JSON.parse(response.body, limits: Self.limits) else { return }
        let own = body["response"]?["object"] == "client" ? body["response"] : nil
        let seen = own ?? body["client"] ?? body["meta"]?["client"]
        if let id = seen?["id"]?.string, id != client { foreign.withLock { $0 = true } }
    }

    /// Takes the client token from an answer. Without the field, the token stays; an empty value,
    /// or the word `Bearer` alone, drops it. Answers of gateways do not count, nor does a 401.
    private func adopt(_ response: TransportResponse) {
        guard let value = response.fields["Authorization"], (200...499).contains(response.status),
            response.status != 401
        else { return }
        let isDropped = value.isEmpty || value.lowercased() == "bearer" || value.lowercased() == "bearer "
        let new = isDropped ? nil : Secret(value)
        token.withLock { token in
            guard token != new else { return }
            token = new
            changed.withLock { $0 = true }
        }
    }
}

extension FormParameters {
    /// Creates a form of the members that have a value. An empty value counts.
    init(of members: KeyValuePairs<String, String?>) {
        self.init()
        for (name, value) in members { if let value { add(name, value) } }
    }
}
