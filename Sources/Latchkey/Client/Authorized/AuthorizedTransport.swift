/// A transport that adds a client's access token. Create it with
/// ``AuthClient/authorized(_:origins:audience:account:originClass:)``.
///
/// | Case | What happens |
/// | --- | --- |
/// | The origin is not allowed | `configuration(.invalid)`; nothing is sent |
/// | The request has its own `Authorization`, or a field that decides where the request goes or where it ends (`Host`, `Content-Length`, `Transfer-Encoding`, `Connection`, `X-Forwarded-Host` and the like) | `configuration(.invalid)`; nothing is sent |
/// | A field's name or value is not valid in HTTP | ``TransportError`` `invalidRequest`; nothing is sent |
/// | No token is available | the ``AuthError`` that says why; nothing is sent |
/// | The resource refuses the token (401, or as the provider judges) | the client asks for a newer token, once however many requests were refused, and repeats the request once with it |
/// | The resource refuses the newer token too, which had come before the first one was refused | a newer one is asked for, for the next request; that answer is returned |
/// | No newer token is available | the ``AuthError`` that says why; the resource's answer alone would look like a sign-out |
/// | The refused request must not be repeated | the newer token is fetched for the next request; the refusal is returned |
/// | The resource refuses the token that was asked for | that answer is returned; ``AuthEvent/authenticationRequired(_:_:)`` with `notAccepted` is sent once, and further refusals of that token by this origin cause nothing more |
/// | The resource refused a newer token in another process, and refuses it here | as above, without a refresh: what a resource refused is noted with the token in the store |
/// | The resource wants a stronger proof or more scopes | the answer is returned; ``AuthEvent/stepUpRequired(_:_:)`` is sent |
/// | The resource wants no token, but `Basic` or `Negotiate`, or says `insufficient_scope` | the answer is returned; nothing is refreshed |
/// | The request may not be written twice, such as a `POST` | it is written once, over a kept connection: ``TransportRequest/Writing/once``. If the connection ends before the answer, it fails with `interrupted` and may have arrived |
/// | The answer is a redirect | it is returned as it is. The next request is judged by its own origin, so no token goes elsewhere |
///
/// The deadline covers everything the caller waits for, including a refresh. The refresh itself
/// continues after it. An error at the deadline names who was slow: a ``TransportError`` `timedOut` with the origin of the
/// resource or of the service, an ``AuthError`` `busy` with the process that holds the session's lock, or one with
/// `store(.unavailable)`.
public struct AuthorizedTransport<Base: HTTPTransport>: HTTPTransport {
    let client: AuthClient
    let base: Base
    let origins: Set<String>
    let audience: Audience
    var account: AccountID?
    let originClass: AuthObservation.OriginClass

    private var engine: Engine { client.engine }

    /// Sends `request` with a token. If the resource refuses it, sends the request once more with a newer token.
    ///
    /// - Throws: ``AuthError`` if no token is available; ``TransportError``; `CancellationError`.
    public func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        guard let address = WebAddress(request.url), address.scheme == "https" || address.scheme == "http" else {
            throw TransportError(.invalidRequest, wasSent: false)
        }
        let origin = address.origin
        try check(request, origin)
        let now = engine.now
        let end = now + deadline
        // Usually both are at hand, and nothing is waited for.
        let ready = now < end ? engine.table.usable(account, audience, at: now) : nil
        if ready != nil { client.firstToken.note(.stored) }
        let (owner, provider, token) = if let ready { ready } else { try await usable(before: end) }
        let place = TokenPlace(account: owner, audience: audience, origin: origin)
        let judge = engine.services.judges[provider]
        let answer = try await attempt(request, token, at: place, judge, end)
        guard answer.isRefused else { return answer.response }
        let newer = try await within(end, of: owner) { [engine] in try await engine.newer(than: token, at: place) }
        guard let newer, request.mayBeRepeated else { return answer.response }
        let second = try await attempt(request, newer, at: place, judge, end)
        guard second.isRefused else { return second.response }
        if engine.refusals.isSuccessor(newer, at: place) {
            await engine.notAccepted(newer, at: place)
        } else {
            // It had come before the first one was refused. What is asked for now is for the next request.
            _ = try await within(end, of: owner) { [engine] in try await engine.newer(than: newer, at: place) }
        }
        return second.response
    }

    /// Returns the account, its provider and a token that is valid now, and waits for them.
    private func usable(before end: MonotonicInstant) async throws -> AccountTable.Usable {
        try await within(end, of: account) { [self] in
            let entry = try await engine.reader.usableEntry(account)
            let token = try await client.accessToken(for: audience, of: entry.account)
            return (entry.account, entry.binding.provider, token)
        }
    }

    private func check(_ request: TransportRequest, _ origin: String) throws {
        guard origins.contains(origin) else {
            throw AuthError(
                .configuration(.invalid),
                "The origin \(origin) is not among the allowed ones, so no token goes there; nothing was sent.")
        }
        for (name, value) in request.fields.lines {
            // Every transport refuses such a field. An invalid name may contain a secret, so the
            // error does not show it.
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
        // The request spends no credential. A new connection for each would cost a handshake and
        // gain only that a dead connection cannot fail it.
        if request.writing == .byMethod, !request.mayBeWrittenTwice { authorized.writing = .once }
        let begun = engine.now
        let response = try await base.send(
            authorized, to: place.origin, begun: begun, deadline: end - begun, in: engine.context)
        let verdict = judge?.verdict(on: response) ?? (response.status == 401 ? .rejected : .accepted)
        switch verdict == .rejected && ResourceChallenge.wantsNoToken(response) ? .otherwise : verdict {
        case .accepted: await accepted(token, at: place)
        case .otherwise: engine.context.observer.observe(.refusal(originClass, .otherwise))
        case .insufficient(let stepUp):
            await accepted(token, at: place)
            engine.context.observer.observe(.refusal(originClass, .insufficient))
            engine.accounts.hub.tell(.stepUpRequired(place.account, stepUp))
        case .rejected:
            engine.context.observer.observe(.refusal(originClass, engine.refusalCause(of: token, at: place)))
            return (response, true)
        }
        return (response, false)
    }

    /// Notes that a resource accepted `token`.
    private func accepted(_ token: AccessToken, at place: TokenPlace) async {
        guard engine.accepted(token, at: place) else { return }
        await engine.note(token, at: place, isRefused: false)
    }

    /// Returns what `work` gives before `end`. After that the wait is cancelled, but not the engine's own work.
    ///
    /// - Throws: What `work` throws; after `end` an error that names who was slow, of all that a token of `account`
    ///   waits for.
    private func within<Value: Sendable>(
        _ end: MonotonicInstant, of account: AccountID?, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard engine.clock.now() < end else { throw TransportError(.timedOut, wasSent: false) }
        do {
            if let value = try await engine.clock.value(before: end, of: work) { return value }
        } catch  where Task.isCancelled {
            throw CancellationError()
        }
        throw await engine.slowness(of: account)
    }
}
