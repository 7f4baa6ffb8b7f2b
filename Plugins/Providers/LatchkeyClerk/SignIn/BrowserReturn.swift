import Latchkey
import LatchkeyOAuthCore

/// What the address says at which a browser came back. Any web page can make one, so it only decides what is asked of
/// the service, and what a visit that came to nothing is called.
struct BrowserReturn: Sendable {
    private static let names = [
        "rotating_token_nonce", "flow_id", "approval_token", "__clerk_status", "__clerk_error_code",
    ]

    /// Brings the newest client token; absent unless a session was made.
    let nonce: String?
    /// A link's approval, and the flow that it is for.
    let (flow, approval): (String?, String?)
    /// `failed`, or what became of a link: `verified`, `expired`, `client_mismatch`.
    let status: String?
    /// The service's code for a visit that failed.
    let code: String?

    /// Reads a query; `nil` if it is no form, or names something twice.
    init?(_ query: String) {
        guard let form = FormEncoding.decode(query[...]), Self.names.allSatisfy({ form.count(of: $0) < 2 }) else {
            return nil
        }
        func text(_ name: String) -> String? { form[name].flatMap { $0.isEmpty ? nil : $0 } }
        (nonce, flow, approval) = (text("rotating_token_nonce"), text("flow_id"), text("approval_token"))
        (status, code) = (text("__clerk_status"), text("__clerk_error_code"))
    }

    /// Returns what a visit that came to nothing is called.
    func outcome(of conversation: ClerkConversation) -> AuthError {
        if let code { return conversation.external(code) }
        let error = conversation.provider.error
        return switch status {
        case "failed": error(.refused(.denied), "The other service did not sign the person in.")
        case "expired": error(.refused(.expired), "The visit took too long; begin again.")
        default: error(.declined, "The browser came back without a sign-in at the other service.")
        }
    }
}
