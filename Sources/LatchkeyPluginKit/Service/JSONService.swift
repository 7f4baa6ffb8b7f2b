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
/// Each request is sent once: a GET within the context's deadline for look-ups, any other within the one for requests that may
/// spend something. For a refresh, use POST.
///
/// | The service answers | Result |
/// | --- | --- |
/// | 2xx with JSON of its own form | an ``Answer`` |
/// | 2xx with nothing | an ``Answer`` without members |
/// | 429 | `rateLimited` |
/// | 5xx | `serviceTrouble` |
/// | any other 4xx | what `explaining` returns for the ``ErrorAnswer``; by default the error answer itself |
/// | 2xx with more than ``limits`` | `untrusted(.malformed)` |
/// | nothing | ``/Latchkey/TransportError`` |
/// | a page, a redirect, or JSON of another form, with any status | the error of a ``/Latchkey/ForeignAnswer`` |
///
/// Errors have the wait that the answer asks for. None contains anything that was sent. The service's own text is in
/// ``/Latchkey/AuthError/serviceText`` alone.
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
    /// Whether a body is of the service's own form, given its status; JSON null for one that is no JSON. What is not
    /// comes from something in front of the service and says nothing about a session. By default every JSON is the
    /// service's, and so is every 4xx.
    public var isOwn: @Sendable (_ status: Int, _ body: JSON) -> Bool = { status, body in
        body.object != nil || body.array != nil || (400..<500).contains(status)
    }
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
        let request = try request(method, path, body, fields, bearer)
        let response = try await method == "GET" ? context.lookUp(request) : context.send(request)
        if !rotatedTokenPath.isEmpty, (200...299).contains(response.status),
            let token = SalvagedText.token(at: rotatedTokenPath, in: response.body)
        {
            context.carry(Secret(token))
        }
        return try read(response, to: request)
    }

    /// Reads the service's answer to a request that was sent in another way.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - request: The request: errors name its origin, and hide what it sent.
    /// - Throws: As the table says.
    public func read(_ response: TransportResponse, to request: TransportRequest? = nil) throws -> Answer {
        let isEmpty = response.body.isEmpty && (200...299).contains(response.status)
        var body = JSON.object([:])
        var excess: JSONError?
        if !isEmpty {
            do throws(JSONError) { body = try JSON.parse(response.body, limits: limits) } catch {
                body = .null
                if [.tooLarge, .tooDeep].contains(error.code) { excess = error }
            }
        }
        let answer = ErrorAnswer(response, of: self, to: request, body)
        if let excess, (200...299).contains(response.status) {
            throw answer.error(.untrusted(.malformed), "The answer is beyond the limits (\(excess.code.rawValue)).")
        }
        // An empty answer that promises a page, or says that a firewall gave it, is nobody's success.
        let isPromise = isEmpty && answer.foreign.kind != .unreadable
        guard !isPromise, isOwn(response.status, body) else { throw answer.foreignError }
        switch response.status {
        case 200...299: return Answer(response, body: body)
        case 429: throw answer.error(.rateLimited, "The service wants fewer requests.")
        case 400...499: throw explaining(answer)
        case 500...599: throw answer.error(.serviceTrouble, "The service answered HTTP \(response.status).")
        default: throw answer.foreignError
        }
    }
}
