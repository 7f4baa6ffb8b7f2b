import FoundationEssentials
import Latchkey

/// Requests for tokens and their answers, as parts of a message.
extension AgentTokenRequest {
    /// The most bytes of one part.
    private static let longest = 4_096

    /// Home, profile, account (empty for the current one), audience, and the seconds.
    var parts: [Secret] {
        [Secret(home), Secret(profile), Secret(account ?? ""), Secret(audience.name)]
            + [AgentMessage.number(UInt64(clamping: validity.components.seconds))]
    }

    /// - Throws: ``/Latchkey/AuthError`` `untrusted(.malformed)`.
    init(_ message: AgentMessage) throws(AuthError) {
        guard message.parts.count == 5, message.parts.allSatisfy({ $0.count <= Self.longest }) else {
            throw AgentMessage.malformed
        }
        let account = message.parts[2].revealText()
        self.init(
            home: message.parts[0].revealText(), profile: message.parts[1].revealText(),
            account: account.isEmpty ? nil : account, audience: Audience(message.parts[3].revealText()),
            validity: .seconds(Int64(clamping: try message.number(4))))
    }
}

extension AgentToken {
    /// The token, its scheme, the account, the scopes, and the lifetime's four parts if it has one.
    var parts: [Secret] {
        let scopes = token.scopes.map { "+" + $0.joined(separator: " ") } ?? ""
        var parts = [token.value, Secret(token.scheme), Secret(account?.value ?? ""), Secret(scopes)]
        if let lifetime = token.lifetime {
            parts += [
                AgentMessage.number(UInt64(bitPattern: lifetime.receivedAt.nanoseconds)), Secret(lifetime.boot),
                AgentMessage.number(lifetime.wall.timeIntervalSince1970.bitPattern),
                AgentMessage.number(UInt64(bitPattern: lifetime.lasts.wholeNanoseconds)),
            ]
        }
        return parts
    }

    /// - Throws: ``/Latchkey/AuthError`` `untrusted(.malformed)`.
    init(_ message: AgentMessage) throws(AuthError) {
        guard message.word == "token", [4, 8].contains(message.parts.count) else { throw AgentMessage.malformed }
        var lifetime: Lifetime?
        if message.parts.count == 8 {
            lifetime = Lifetime(
                receivedAt: MonotonicInstant(nanoseconds: Int64(bitPattern: try message.number(4))),
                boot: message.parts[5].revealText(),
                wall: Date(timeIntervalSince1970: Double(bitPattern: try message.number(6))),
                lasts: .nanoseconds(Int64(bitPattern: try message.number(7))))
        }
        let (account, scopes) = (message.parts[2].revealText(), message.parts[3].revealText())
        self.init(
            AccessToken(
                message.parts[0], scheme: message.parts[1].revealText(), lifetime: lifetime,
                scopes: scopes.isEmpty ? nil : scopes.dropFirst().split(separator: " ").map(String.init)),
            of: account.isEmpty ? nil : AccountID(account))
    }
}

extension AgentServer {
    /// Answers a request about tokens.
    func answer(
        _ request: AgentMessage, by tokens: (any AgentTokenServing)?
    ) async throws(AuthError) -> AgentMessage {
        guard let tokens else { throw AuthError(.configuration(.unsupported), "the agent hands out no tokens") }
        do {
            if request.word == "serve" {
                try await tokens.serve(request.part(0).revealText(), of: request.part(1).revealText())
                return AgentMessage("serving")
            }
            return AgentMessage("token", try await tokens.token(AgentTokenRequest(request)).parts)
        } catch {
            throw error as? AuthError ?? AuthError(.store(.unavailable), "the agent failed: \(type(of: error))")
        }
    }
}

extension AgentClient {
    /// Returns a token; `nil` if no agent runs. The agent refreshes it first if necessary.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `declined` if the person says no; any other code if the agent does not hand it
    ///   out: then the caller asks its own client, which knows why.
    public func token(_ request: AgentTokenRequest) async throws -> AgentToken? {
        try await ask(AgentMessage("token", request.parts), orNil: true)
            .map { answer throws(AuthError) in try AgentToken(answer) }
    }

    /// Makes the agent hand out tokens of a profile from now on.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `locked` when no agent runs; `configuration(.unsupported)` when the agent hands
    ///   out none, or has another home.
    public func serve(_ profile: String, of home: String) async throws {
        _ = try await ask(AgentMessage("serve", [Secret(profile), Secret(home)]))
    }
}
