import Latchkey
import LatchkeySystem

/// How a provider refreshes several times in a row, and what it makes of anything the service may answer.
extension ProviderContract {
    func chain(_ conversation: Conversation) async throws {
        guard let (setting, first, want) = try await refreshable(conversation) else { return }
        let counted = CountedRequests(setting.context.transport)
        let (former, newest) = try await clauses.clause("three refreshes in a chain bring a token each") {
            var (former, newest) = (first, first)
            for number in 1...3 {
                let change = try await refresh(newest, want, setting, over: counted)
                former = newest
                newest.take(change)
                let token = newest.session(want.session)?.tokens[want.audience]
                try expect(token?.value.isEmpty == false, "refresh \(number) brings none")
            }
            return (former, newest)
        }
        try await clauses.clause("a refresh is one POST") {
            let posts = counted.methods.count { $0 == "POST" }
            try expect(posts == 3, "three refreshes were \(posts)")
            let other = counted.methods.first { !["POST", "GET", "HEAD"].contains($0) }
            try expect(other == nil, "one sends \(other ?? "")")
        }
        try await clauses.clause("a spent refresh token is answered as the rules say") {
            guard setting.provider.rules.replay != .fixed, former.refreshToken != newest.refreshToken else { return }
            try await spent(former, newest, want, setting)
        }
    }

    private func spent(_ former: Credential, _ newest: Credential, _ want: TokenWant, _ setting: Setting) async throws {
        let replay = setting.provider.rules.replay
        do {
            let change = try await refresh(former, want, setting, over: setting.context.transport)
            // A service that is more lenient than the rules say costs care, but no sign-in.
            if replay == .sameSuccessor {
                try expect(change.refreshToken == newest.refreshToken, "it is another successor")
            }
        } catch let refusal as Refusal {
            try expect(replay == .killsFamily, "it is refused, though the rules say \(replay)")
            try expect(
                refusal.kind == .definite, "the refusal is \(refusal.kind.rawValue): the session would never end")
        }
    }

    func foreignAnswers(_ conversation: Conversation) async throws {
        guard let (setting, credential, want) = try await refreshable(conversation) else { return }
        try await clauses.clause("an answer without the service's word is no definite Refusal") {
            for status in [400, 401, 403, 404, 409] {
                for body in ForeignBodies.refusals {
                    let answer = TransportResponse(status: status, body: Array(body.utf8))
                    let error = try await refreshError(setting, credential, want) { _ in answer }
                    let isDefinite = (error as? Refusal)?.kind == .definite
                    try expect(!isDefinite, "\(status) with \(body.isEmpty ? "no content" : body) was taken for one")
                }
            }
        }
        try await clauses.clause("a success without a token is an error, and no Refusal") {
            for body in ForeignBodies.successes {
                let answer = TransportResponse(status: 200, body: Array(body.utf8))
                let error = try await refreshError(setting, credential, want) { _ in answer }
                try expect(!(error is Refusal), "200 with \(body.isEmpty ? "no content" : body) was taken for one")
            }
        }
        try await clauses.clause("the refusals that the author names are of their kind") {
            for refusal in refusals {
                let error = try await refreshError(setting, credential, want) { _ in refusal.answer }
                let kind = (error as? Refusal)?.kind
                try expect(
                    kind == refusal.kind,
                    "\(refusal.answer.status) is \(kind?.rawValue ?? "none") and not \(refusal.kind?.rawValue ?? "none")"
                )
            }
        }
        try await clauses.clause("errors print neither what was typed nor a token") {
            let error = try await refreshError(setting, credential, want) { ForeignBodies.echo($0) }
            for secret in [credential.refreshToken].compactMap({ $0 }) where secret.count >= 8 {
                try expect(!Printed.shows(secret, in: error), "that of a refresh prints one")
            }
        }
    }

    private func refresh(
        _ credential: Credential, _ want: TokenWant, _ setting: Setting, over transport: any HTTPTransport
    ) async throws -> CredentialChange {
        var want = want
        want.newerThan = credential.session(want.session)?.tokens[want.audience]
        return try await setting.provider.refresh(credential, for: want, in: setting.context(over: transport))
    }
}

/// Answers that services and gateways send, and that no provider may take for its service's final word.
enum ForeignBodies {
    static let refusals = [
        "", "<html><body>invalid_grant</body></html>", "invalid_grant", "{}", "[]", "null",
        #"{"error":"slow_down"}"#, #"{"error":"temporarily_unavailable"}"#, #"{"error":"server_error"}"#,
        #"{"error":{"status":"INVALID_ARGUMENT","message":"API key not valid. Please pass a valid API key."}}"#,
        #"{"__type":"TooManyRequestsException","message":"Rate exceeded"}"#, #"{"message":"Invalid API key"}"#,
        #"{"error":["invalid_grant"]}"#,
    ]

    static let successes = ["", "<html><body>Welcome</body></html>", "{}", "[]", "null"]

    /// Returns an answer that repeats the request's content in every member that a provider may read.
    static func echo(_ request: TransportRequest) -> TransportResponse {
        let sent = String(decoding: request.body ?? [], as: UTF8.self) + (request.fields["Authorization"] ?? "")
        let text = String(sent.unicodeScalars.filter { $0.value >= 0x20 && $0 != "\"" && $0 != "\\" })
        let names = ["error", "error_code", "error_description", "code", "msg", "message", "__type", "refused"]
        let members = names.map { "\"\($0)\":\"\(text)\"" }.joined(separator: ",")
        return TransportResponse(status: 400, body: Array("{\(members)}".utf8))
    }
}

/// Passes requests on, and notes the method of each.
final class CountedRequests: HTTPTransport {
    private let inner: any HTTPTransport
    private let most: Int
    private let seen = Locked<[String]>([])
    private let answered = Tally()

    /// - Parameter most: The most requests that it passes on, so that a caller that would repeat
    ///   forever comes to an end.
    init(_ inner: any HTTPTransport, most: Int = .max) {
        self.inner = inner
        self.most = most
    }

    var methods: [String] { seen.withLock { $0 } }
    /// The number of requests that got an answer.
    var answers: Int { answered.count }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let count = seen.withLock { seen in
            seen.append(request.method)
            return seen.count
        }
        guard count <= most else { throw AuthError(.cancelled, "that was too often") }
        let response = try await inner.send(request, deadline: deadline)
        answered.add()
        return response
    }
}

extension Credential {
    /// Merges the change as the engine does.
    fileprivate mutating func take(_ change: CredentialChange) {
        refreshToken = change.refreshToken ?? refreshToken
        sessions = change.sessions ?? sessions
        state = change.state ?? state
        for index in sessions.indices {
            sessions[index].tokens.merge(change.minted[sessions[index].id] ?? [:]) { $1 }
        }
    }
}
