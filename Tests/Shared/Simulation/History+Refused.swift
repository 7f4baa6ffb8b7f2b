import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// What a resource refused, and an app has said so.
extension History {
    struct RefusedToken {
        let process: Int
        /// The last call that had begun when it was noted.
        let call: Int
        let at: Duration
        /// Whether the store could keep it from others.
        let isKept: Bool
    }

    /// A resource refuses what the account has.
    func discard(_ running: Running, _ account: AccountID) async throws {
        guard let token = running.client.currentToken(of: account) else { return }
        try await running.client.discard(token.value)
        guard !running.process.isKilled else { return }
        state.withLock { state in
            state.refused[token.value.revealText()] = RefusedToken(
                process: running.number, call: state.nextCall, at: machine.elapsed,
                isKept: !state.hasStoreTrouble)
        }
    }

    private static let strict = "https://strict.example.com"

    /// Asks a resource that takes no token of anybody.
    ///
    /// Law 9: a token that it refused in place of another is not refreshed for it once more, by a process that begins
    /// afterwards, as far as the store could keep that. It is looked at only while no other process does anything.
    func askInVain(_ client: AuthClient, _ id: Int, _ running: Running, _ account: AccountID) async throws {
        let resource = StrictResource()
        let api = try client.authorized(resource, origins: [Self.strict], account: account)
        let (known, isAlone, wasTroubled) = state.withLock { ($0.unmended, $0.calls.count == 1, $0.hasStoreTrouble) }
        let begun = machine.elapsed
        _ = try await api.send(TransportRequest("GET", Self.strict + "/"), deadline: .seconds(30))
        let sent = resource.tokens.withLock { $0 }
        if sent.count > 2 { violate(9, "one request was sent \(sent.count) times") }
        // Minted tokens are in no record.
        guard sent.count == 2, !running.process.isKilled, scenario.kind != .shares, scenario.kind != .mints,
            let minted = service.access(sent[1])?.minted, minted >= begun,
            isAlone, state.withLock({ $0.nextCall == id })
        else { return }
        if let since = known[sent[0]], running.started > since {
            violate(9, "\(sent[0]) was refreshed for a resource that had refused it in place of another")
        }
        state.withLock { state in
            if !wasTroubled, !state.hasStoreTrouble { state.unmended[sent[1]] = machine.elapsed }
        }
    }

    /// Law 9: what a resource refused is not handed out again by its process, nor by one that begins later.
    func checkRefused(_ token: AccessToken, by call: Int, in running: Running) {
        let text = token.value.revealText()
        guard !running.process.isKilled, let refused = state.withLock({ $0.refused[text] }) else { return }
        // Minted tokens are in no record, so another process may have been given the same one.
        let isMinted = scenario.kind == .shares || scenario.kind == .mints
        let isLater = refused.isKept && running.started > refused.at && !isMinted
        guard running.number == refused.process ? call > refused.call : isLater else { return }
        violate(9, "\(text) was handed out in process \(running.number), and a resource had refused it")
    }
}

/// Takes no token of anybody, and notes each.
private struct StrictResource: HTTPTransport {
    let tokens = Locked<[String]>([])

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let token = request.fields["Authorization"].map { String($0.dropFirst("Bearer ".count)) } ?? ""
        tokens.withLock { $0.append(token) }
        return TransportResponse(status: 401, fields: ["WWW-Authenticate": "Bearer error=\"invalid_token\""])
    }
}
