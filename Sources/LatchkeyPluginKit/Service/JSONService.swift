public import Latchkey
public import LatchkeyJSON

/// A service that takes JSON and answers with JSON, for the length of one call of a provider.
///
/// ```swift
/// let service = JSONService("https://id.example.com/v1", of: "example", in: context)
/// let answer = try await service.post("/token", ["refresh_token": .revealing(token)])
/// let access = try answer["access_token"].string()
/// ```
///
/// Each request is sent once, within the context's deadline. Where the context speaks of a refresh, that is a POST.
///
/// | The service answers | What comes of it |
/// | --- | --- |
/// | 2xx with JSON | an ``Answer`` |
/// | 2xx with nothing | an ``Answer`` without members |
/// | 2xx with anything else, as captive portals do | `untrusted(.malformed)` |
/// | a redirect, or a status below 200 | `untrusted(.malformed)` |
/// | 429 | `rateLimited`, with the wait that the answer asks for |
/// | 5xx | `serviceTrouble`, with the wait that the answer asks for |
/// | any other 4xx | what `explaining` makes of the ``ErrorAnswer``: the error answer itself, if it is not given |
/// | nothing | ``/Latchkey/TransportError`` |
///
/// No error holds anything that was sent, or a text of the service.
public struct JSONService: Sendable {
    /// What begins every address: scheme, host and perhaps a path, without a slash at the end.
    public var base: String
    /// Whose service it is. Errors name it.
    public var provider: ProviderID
    /// Carries the requests, and knows how long they may take.
    public var context: ProviderContext
    /// The header fields of every request.
    public var fields: HeaderFields
    /// Which field of an answer holds the service's own number of the request. It goes into errors.
    public var requestIDField: String?
    /// How large and how deep the JSON of an answer may be. The transport has a bound of its own.
    public var limits = JSONLimits()
    /// What an error answer means, as the error to throw. What it means differs with the call: see
    /// ``ErrorAnswer/error(_:meanings:)`` for a sign-in, ``ErrorAnswer/refreshError(_:definite:refusedUnread:)``.
    public var explaining: @Sendable (ErrorAnswer) -> any Error

    /// A service at `base`.
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

    /// Sends a POST with an object of the members that have a value.
    ///
    /// - Parameters:
    ///   - path: What follows the base: nothing, or a path that begins with a slash; then perhaps a query.
    ///   - fields: Further header fields. They replace those of every request.
    ///   - bearer: A token for `Authorization: Bearer`.
    /// - Throws: As the table says; ``/Latchkey/NotSent`` for an address that is not below the base, or to which no
    ///   secret may go (``/Latchkey/WebAddress/isSecure``), and for a bearer that is none.
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

    /// Sends a request with any method, with or without content.
    ///
    /// - Throws: As ``post(_:_:fields:bearer:)``.
    public func send(
        _ method: String, _ path: String, _ body: JSON? = nil, fields: HeaderFields = [:], bearer: Secret? = nil
    ) async throws -> Answer {
        try read(await context.send(request(method, path, body, fields, bearer)))
    }

    /// Reads what the service answered to a request that was sent otherwise.
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
            // The place in it is ours to tell only where the members are: of a page, there are none.
            throw trouble(.untrusted(.malformed), "The answer is not JSON (\(error.code.rawValue)).", response)
        }
    }

    private func trouble(_ code: AuthError.Code, _ message: String, _ response: TransportResponse) -> AuthError {
        let answer = ErrorAnswer(response, of: self)
        return answer.error(code, message)
    }
}
