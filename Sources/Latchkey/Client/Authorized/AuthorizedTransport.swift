/// A transport that adds a client's access token, made by ``AuthClient/authorized(_:origins:audience:account:)``.
///
/// | Case | What happens |
/// | --- | --- |
/// | An origin that was not allowed | `configuration(.invalid)`; nothing is sent |
/// | A request with a field that decides where it goes or where it ends (`Host`, `Content-Length`, `Transfer-Encoding`, `Connection`, `X-Forwarded-Host` and the like), or with an `Authorization` of its own | `configuration(.invalid)`; nothing is sent |
/// | A field that is no line of a head | ``TransportError`` `invalidRequest`; nothing is sent |
/// | No token to be had | the ``AuthError`` that says why; nothing is sent |
/// | The resource refuses the token (401, or as the provider judges) | a token newer than that one is asked for, once however many requests were refused, and the request is repeated once with it |
/// | No newer token to be had | the ``AuthError`` that says why: the answer alone would read as a sign-out |
/// | A request that must not be repeated | the newer token is fetched for the next one; the refusal is returned |
/// | The newer token is refused too | that answer is returned; ``AuthEvent/authenticationRequired(_:_:)`` with `notAccepted` tells once, and this origin's refusals of that token cause nothing more |
/// | The resource wants a stronger proof or more scopes | the answer is returned; ``AuthEvent/stepUpRequired(_:_:)`` tells |
/// | A request that may not be written twice, such as a `POST` | written once, over a kept connection: ``TransportRequest/Writing/once``. One whose connection ends before the answer fails with `interrupted` and may have arrived |
/// | A redirect | returned as it is. The next request is judged by its own origin, so none carries a token elsewhere |
///
/// What the caller waits for, refresh included, ends at its deadline; the refresh goes on.
public struct AuthorizedTransport<Base: HTTPTransport>: HTTPTransport {
    let client: AuthClient
    let base: Base
    let origins: Set<String>
    let audience: Audience
    let account: AccountID?

    private var engine: Engine { client.engine }

    /// Sends `request` with a token, and once more where that one is refused.
    ///
    /// - Throws: ``AuthError`` when there is no token for it; ``TransportError``; `CancellationError`.
    public func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        guard let address = WebAddress(request.url), ["https", "http"].contains(address.scheme) else {
            throw TransportError(.invalidRequest, wasSent: false)
        }
        try check(request, address)
        let end = engine.clock.now() + deadline
        let (entry, token) = try await usable(before: end)
        let place = TokenPlace(account: entry.account, audience: audience, origin: address.origin)
        let judge = engine.services.providers[entry.binding.provider] as? any AnswerJudging
        let answer = try await attempt(request, token, at: place, judge, end)
        guard answer.isRefused else { return answer.response }
        let newer = try await within(end, wasSent: true) { [engine] in try await engine.newer(than: token, at: place) }
        guard let newer, request.mayBeRepeated else { return answer.response }
        let second = try await attempt(request, newer, at: place, judge, end)
        if second.isRefused { engine.notAccepted(newer, at: place) }
        return second.response
    }

    /// Whose token, and a good one: mostly it is at hand, and nothing is waited for.
    private func usable(before end: MonotonicInstant) async throws -> (AccountEntry, AccessToken) {
        let (table, now) = (engine.table, engine.clock.now())
        if now < end, table.isRestored, let entry = table.entry(account), entry.problem == nil,
            let token = table.token(audience, of: entry.account, at: now, unless: true)
        {
            return (entry, token)
        }
        return try await within(end, wasSent: false) { [self] in
            let entry = try await engine.reader.usableEntry(account)
            return (entry, try await client.accessToken(for: audience, of: entry.account))
        }
    }

    private func check(_ request: TransportRequest, _ address: WebAddress) throws {
        guard origins.contains(address.origin) else {
            throw AuthError(
                .configuration(.invalid),
                "The origin \(address.origin) is not among the allowed ones, so no token goes there; nothing was sent.")
        }
        for (name, value) in request.fields.lines {
            // As every transport answers what is no request; a name that is none may hold a secret, and is not shown.
            guard ReservedFields.isLine(name, value) else { throw TransportError(.invalidRequest, wasSent: false) }
            guard !ReservedFields.contains(name) else {
                throw AuthError(
                    .configuration(.invalid),
                    "The request's field \(name) would decide where the token goes; nothing was sent.")
            }
        }
    }

    private func attempt(
        _ request: TransportRequest, _ token: AccessToken, at place: TokenPlace, _ judge: (any AnswerJudging)?,
        _ end: MonotonicInstant
    ) async throws -> (response: TransportResponse, isRefused: Bool) {
        guard token.scheme.lowercased() == "bearer" else {
            throw AuthError(
                .configuration(.unsupported), "The access token is not a bearer token; nothing was sent.")
        }
        var authorized = request
        authorized.fields.add("Authorization", "Bearer \(token.value.revealText())")
        // It spends no credential: a handshake for each would buy nothing but that a dead connection cannot fail it.
        if request.writing == .byMethod, !request.mayBeWrittenTwice { authorized.writing = .once }
        let transport = MeasuredTransport(base, engine.context, until: end)
        let response = try await transport.send(authorized, deadline: end - engine.clock.now())
        switch judge?.verdict(on: response) ?? (response.status == 401 ? .rejected : .accepted) {
        case .accepted: engine.refusals.accept(token, at: place)
        case .insufficient(let stepUp):
            engine.refusals.accept(token, at: place)
            engine.accounts.hub.tell(.stepUpRequired(place.account, stepUp))
        case .rejected: return (response, true)
        }
        return (response, false)
    }

    /// What `work` gives before `end`. Its wait is cancelled then, the engine's own work is not.
    private func within<Value: Sendable>(
        _ end: MonotonicInstant, wasSent: Bool, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard engine.clock.now() < end else { throw TransportError(.timedOut, wasSent: wasSent) }
        do {
            if let value = try await engine.clock.value(before: end, of: work) { return value }
        } catch  where Task.isCancelled {
            throw CancellationError()
        }
        throw TransportError(.timedOut, wasSent: wasSent)
    }
}
