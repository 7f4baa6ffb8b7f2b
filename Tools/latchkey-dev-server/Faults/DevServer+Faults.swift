import LatchkeyHTTPServer
import LatchkeyJSON
import LatchkeySystem

extension DevServer {
    /// Answers a request at `endpoint` as the fault demands.
    func answer(_ request: ServerRequest, at endpoint: Endpoint, fault: Fault?) async -> ServerResponse? {
        switch fault?.kind {
        case nil: return act(request, at: endpoint, fault: nil)
        case .drop:
            record(endpoint, request, fault)
            return nil
        case .status, .retryAfter, .empty400, .html:
            record(endpoint, request, fault)
            return fault.map { canned($0, for: request, at: endpoint) }
        case .hold where fault?.acts == false:
            if await held.wait() { return act(request, at: endpoint, fault: fault) }
            record(endpoint, request, fault)
            return nil
        case .hold:
            let response = act(request, at: endpoint, fault: fault)
            return await held.wait() ? response : nil
        case .delay:
            await sleep(Double(fault?.milliseconds ?? 0) / 1000)
            return act(request, at: endpoint, fault: fault)
        case .spentToken:
            if endpoint.isSupabase { state.withLock { $0.supabase.spend(tokenOf: request) } }
            let token = FormPairs.decode(request.body)?.first { $0.name == DevServerWire.refreshToken }
            if let token { state.withLock { $0.spend(token.value) } }
            return act(request, at: endpoint, fault: fault)
        case .dropAfterActing:
            _ = act(request, at: endpoint, fault: fault)
            return nil
        case .truncated, .clockSkew, .oversize:
            let response = act(request, at: endpoint, fault: fault)
            return fault.map { disfigured(response, by: $0) } ?? response
        }
    }

    /// Answers and logs.
    private func act(_ request: ServerRequest, at endpoint: Endpoint, fault: Fault?) -> ServerResponse {
        let (response, entry) = state.withLock { state in
            let now = now()
            var note = Note(agent: request.field("User-Agent"))
            var response = state.answer(request, at: endpoint, now: now, note: &note)
            let entry = state.log.append(endpoint, note, fault: fault?.kind)
            response.set("Date", HTTPDate.string(state.wallClock(now)))
            return (response, entry)
        }
        report(entry)
        return response
    }

    /// Logs a request that was not acted on.
    private func record(_ endpoint: Endpoint, _ request: ServerRequest, _ fault: Fault?) {
        let note = Note(
            grant: Self.grant(of: request), outcome: Entry.notReached, agent: request.field("User-Agent"))
        report(state.withLock { $0.log.append(endpoint, note, fault: fault?.kind) })
    }

    /// The request's grant, if the server knows it.
    static func grant(of request: ServerRequest) -> String? {
        let isSupabase = request.path.hasPrefix(SupabaseCall.prefix)
        let pairs = isSupabase ? request.queryPairs : FormPairs.decode(request.body)
        return pairs?.first { $0.name == DevServerWire.grantType }.flatMap { Grant(rawValue: $0.value)?.rawValue }
    }

    /// Returns the fault's own answer, dated by the same clock as all others.
    private func canned(_ fault: Fault, for request: ServerRequest, at endpoint: Endpoint) -> ServerResponse {
        var response = Self.body(of: fault)
        if endpoint.isSupabase, fault.kind == .status, let error = fault.error {
            response = SupabaseFailure.made(
                up: error, status: response.status, isNew: SupabaseCall(request).usesNewErrors)
        }
        response.set("Date", HTTPDate.string(state.withLock { $0.wallClock(now()) }))
        return response
    }

    private static func body(of fault: Fault) -> ServerResponse {
        switch fault.kind {
        case .empty400: return ServerResponse(status: 400, fields: [("Cache-Control", "no-store")])
        case .html:
            let page = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"
            return .html(page, status: fault.status ?? 502)
        case .retryAfter:
            var response = error(ErrorCode.temporarilyUnavailable.rawValue, status: fault.status ?? 429)
            response.set("Retry-After", String(fault.seconds))
            return response
        default:
            return error(fault.error ?? ErrorCode.temporarilyUnavailable.rawValue, status: fault.status ?? 503)
        }
    }

    private static func error(_ code: String, status: Int) -> ServerResponse {
        .json(JSON.object([DevServerWire.error: .string(code)]).serialized(), status: status)
    }

    private func disfigured(_ response: ServerResponse, by fault: Fault) -> ServerResponse {
        var response = response
        switch fault.kind {
        case .truncated: response.breaksAfter = response.body.count / 2
        case .clockSkew:
            let wall = state.withLock { $0.wallClock(now()) }
            response.set("Date", HTTPDate.string(wall + Int64(fault.seconds)))
        default:
            // Whitespace after a JSON document is valid, so only the size is wrong.
            response.body += [UInt8](repeating: 0x20, count: fault.bytes)
        }
        return response
    }
}
