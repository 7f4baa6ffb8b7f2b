import Latchkey

/// What a program wants an agent to do for it.
public enum AgentUse: Hashable, Sendable {
    /// To read or write the records of an open vault.
    case vault
    /// To hand out an access token of a profile.
    case token(profile: String)
}

/// Asks the person before an agent does something for another program.
///
/// | Case | Required behaviour |
/// | --- | --- |
/// | The person says no, or nothing in time | `false` |
/// | The process cannot be told, or has ended meanwhile | `false` |
/// | The process has given the vault's key itself (``trust(_:)``) | `true`, without a question |
public protocol AgentConfirming: Sendable {
    /// Makes sure that questions can be asked.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.unsupported)` when they cannot.
    func prepare() throws

    /// Returns whether the person lets the process with this number use the agent. It answers within
    /// ``AgentServer/longestQuestion``.
    func allows(_ process: Int32, _ use: AgentUse) async -> Bool

    /// Notes that the process with this number needs no question.
    func trust(_ process: Int32)
}

/// Whether an agent asks, and whom.
struct AgentConfirmation: Sendable {
    let by: any AgentConfirming
    /// The number of this process, which asks itself for nothing.
    let own: Int32

    /// What a request needs the person's word for; `nil` if nothing: it gives the key itself, or hands nothing out.
    static func use(of request: AgentMessage) -> AgentUse? {
        switch request.word {
        case "token": .token(profile: request.parts.count > 1 ? request.parts[1].revealText() : "")
        case "unseal", "seal", "advance", "change": .vault
        default: nil
        }
    }

    func check(_ request: AgentMessage, of process: Int32) async throws(AuthError) {
        guard process != own, let use = Self.use(of: request) else { return }
        guard process > 0, await by.allows(process, use) else {
            throw AuthError(.declined, "the person did not let this program use the agent")
        }
    }
}
