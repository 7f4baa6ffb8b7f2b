public import Latchkey
public import LatchkeyJSON

/// A service that accepts and returns JSON. Create one for each call of a provider.
///
/// ```swift
/// let service = JSONService("https://id.example.com/v1", of: "example", in: context)
/// let answer = try await service.post("/token", ["refresh_token": .revealing(token)])
/// let access = try answer["access_token"].string()
/// ```
///
/// Each request is sent once, within the context's deadline. For a refresh, use POST.
///
/// | The service answers | Result |
/// | --- | --- |
/// | 2xx with JSON | an ``Answer`` |
/// | 2xx with nothing | an ``Answer`` without members |
/// | 2xx with anything else, as captive portals do | `untrusted(.malformed)` |
/// | a redirect, or a status below 200 | `untrusted(.malformed)` |
/// | 429 | `rateLimited`, with the wait that the answer asks for |
/// | 5xx | `serviceTrouble`, with the wait that the answer asks for |
/// | any other 4xx | what `explaining` returns for the ``ErrorAnswer``; by default the error answer itself |
/// | nothing | ``/Latchkey/TransportError`` |
///
/// No error contains anything that was sent, or any text of the service.
public struct JSONService: Sendable {
    /// The beginning of every address: scheme, host and perhaps a path, without a slash at the end.
    public var base: String
    /// The provider that uses the service. Errors name it.
    public var provider: ProviderID
    /// Sends the requests, and says how long they may take.
    public var context: ProviderContext
    /// The header fields that every request carries.
    public var fields: HeaderFields
    /// The header field of an answer that holds the service's own ID of the request. Errors include it.
    public var requestIDField: String?
    /// The largest and deepest JSON that an answer may have. The transport has its own limit.
    public var limits = JSONLimits()
    /// Where a successful answer has the new refresh token, as a chain of member names, in a call that spends one. The
    /// token is kept (``/Latchkey/ProviderContext/carry(_:)``) before the answer is judged. Empty by default: none.
    public var rotatedTokenPath: [String] = []
    /// Returns the error to throw for an error answer. What it means depends on the call: see
    /// ``ErrorAnswer/error(_:meanings:)`` for a sign-in,
    /// ``ErrorAnswer/refreshError(_:definite:refusedUnread:)`` for a refresh.
    public var explaining: @Sendable (ErrorAnswer) -> any Error

    /// Creates a service at `base`.
    public init(
        _ base: String, of provider: ProviderID, in context: ProviderContext, fields: HeaderFields = [:],
        requestIDField: String? = nil, explaining: @escaping @Sendable (ErrorAnswer) -> any Error = { $0 }
    ) {
        self.base = base
        self.provider = provider
        self.context = context
        self.fields = fields
        self.requestIDField = requestIDField
        self.explaining = explaining
    }

    /// Sends a POST with a JSON object of the members that have a value.
    ///
    /// - Parameters:
    ///   - path: What follows the base: nothing, or a path that begins with a slash, optionally with a
    ///     query.
    ///   - members: The members of the object. Those that are `nil` are left out.
    ///   - fields: Further header fields. They replace those of every request.
    ///   - bearer: A token for `Authorization: Bearer`.
    /// - Throws: As the table says; ``/Latchkey/NotSent`` for an address that is not below the
    ///   base, for one that must not receive secrets (``/Latchkey/WebAddress/isSecure``), and for a
    ///   malformed bearer token.
    public func post(
        _ path: String, _ members: [String: JSON?] = [:], fields: HeaderFields = [:], bearer: Secret? = nil
    ) async throws -> Answer {
        try await send("POST", path, .object(members.compactMapValues { $0 }), fields: fields, bearer: bearer)
    }

    /// Sends a GET. A transport may write it twice, so it must not spend anything.
    ///
    /// - Throws: As ``post(_:_:fields:bearer:)``.
    public func get(_ path: String, fields: HeaderFields = [:], bearer: Secret? = nil) async throws -> Answer {
        try await send("GET", path, fields: fields, bearer: bearer)
    }

    /// Sends a request with any method, with or without a body.
    ///
    /// - Throws: As ``post(_:_:fields:bearer:)``.
    public func send(
        _ method: String, _ path: String, _ body: JSON? = nil, fields: HeaderFields = [:], bearer: Secret? = nil
    ) async throws -> Answer {
        let response = try await context.send(request(method, path, body, fields, bearer))
        if !rotatedTokenPath.isEmpty, (200...299).contains(response.status),
            let token = SalvagedText.token(at: rotatedTokenPath, in: response.body)
        {
            context.carry(Secret(token))
        }
        return try read(response)
    }

    /// Reads the service's answer to a request that was sent in another way.
    ///
    /// - Throws: As the table says.
    public func read(_ response: TransportResponse) throws -> Answer {
        switch response.status {
        case 200...299: return try success(response)
        case 429: throw trouble(.rateLimited, "The service wants fewer requests.", response)
        case 400...499: throw explaining(ErrorAnswer(response, of: self))
        case 500...599: throw trouble(.serviceTrouble, "The service answered HTTP \(response.status).", response)
        default: throw trouble(.untrusted(.malformed), "HTTP \(response.status) is no answer to this.", response)
        }
    }

    private func success(_ response: TransportResponse) throws -> Answer {
        guard !response.body.isEmpty else { return Answer(response, body: .object([:])) }
        do throws(JSONError) {
            return Answer(response, body: try JSON.parse(response.body, limits: limits))
        } catch {
            // Only with JSON can we name the place of the error: a page has no members.
            throw trouble(.untrusted(.malformed), "The answer is not JSON (\(error.code.rawValue)).", response)
        }
    }

    private func trouble(_ code: AuthError.Code, _ message: String, _ response: TransportResponse) -> AuthError {
        let answer = ErrorAnswer(response, of: self)
        return answer.error(code, message)
    }
}
