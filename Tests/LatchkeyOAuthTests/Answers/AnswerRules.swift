import Foundation
import Latchkey
import LatchkeyOAuthCore

/// What an answer means, by the standards and by what was tried. Nothing here asks the provider's own code.
struct AnswerRules: Sendable {
    let answer: ServerAnswer
    var status: Int { answer.response?.status ?? 0 }
    var isSuccess: Bool { (200...299).contains(status) }
    private var isPage: Bool {
        let type = answer.response?.fields["Content-Type"]?.lowercased() ?? ""
        return type.hasPrefix("text/html") || answer.response?.body.first == UInt8(ascii: "<")
    }

    /// The error code, if the answer has one: one word of the characters that RFC 6749 codes are made of.
    var code: String? {
        guard let text = answer.members?["error"] as? String, !text.isEmpty,
            text.utf8.allSatisfy({ (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") })
        else { return nil }
        // The name of the status says no more than the status, unless the service explains it.
        return text == "method_not_allowed" && answer.members?["error_description"] == nil ? nil : text
    }

    /// The verdicts that are right.
    var expected: Set<String> {
        guard answer.response != nil else { return ["no answer"] }
        switch answer.place {
        case .document: return document
        case .keys: return isSuccess && answer.members?["keys"] is [Any] ? ["untrusted.signature"] : ["foreign"]
        case .redirect: return redirect
        case .code, .client: return tokens
        case .refresh: return refresh
        case .poll: return poll
        case .revocation: return revocation
        case .device: return isSuccess && answer.members?["device_code"] is String ? ["asked"] : failure
        case .userinfo: return userinfo
        case .api: return api
        }
    }

    /// Discovery 4.3 and RFC 8414, section 3.3.
    private var document: Set<String> {
        if status == 404 { return ["configuration.invalid"] }
        guard isSuccess, let named = answer.issuerNamed, answer.members?["token_endpoint"] is String else {
            return ["foreign"]
        }
        let asked = ["openid-configuration", "oauth-authorization-server"].reduce(answer.path) { path, name in
            path.replacing("/.well-known/\(name)", with: "")
        }
        return asked == named ? ["read"] : ["untrusted.issuer", "configuration.invalid"]
    }

    /// RFC 6749, sections 4.1.2 and 4.1.2.1; Core 3.1.2.6.
    private var redirect: Set<String> {
        guard let address = answer.appRedirect, let parts = URLComponents(string: address) else { return ["browser"] }
        let query = parts.queryItems ?? []
        func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
        guard value("state") != nil else { return ["untrusted.state"] }
        guard let error = value("error") else {
            return value("code") == nil ? ["untrusted.malformed"] : ["code"]
        }
        return switch error {
        case "access_denied": ["declined"]
        case "login_required", "interaction_required", "consent_required", "account_selection_required":
            ["refused.denied"]
        case "invalid_scope", "invalid_target": ["refused.scope"]
        case "server_error", "temporarily_unavailable": ["serviceTrouble"]
        case "unauthorized_client": ["configuration.clientRefused"]
        case "invalid_request": ["configuration.invalid"]
        case "unsupported_response_type", "request_not_supported", "request_uri_not_supported":
            ["configuration.unsupported"]
        default: ["refused.other"]
        }
    }

    /// RFC 6749, sections 5.1 and 5.2; Core 3.1.3.7, step 3: what is another client's is not taken.
    private var tokens: Set<String> { givesTokens ? isOfAnotherClient ? ["untrusted.claims"] : ["tokens"] : failure }

    private var isOfAnotherClient: Bool {
        guard let audience = answer.idToken?.claims["aud"] else { return false }
        return !(audience as? [String] ?? [audience as? String ?? ""]).contains(answer.clientID)
    }

    private var givesTokens: Bool {
        isSuccess && answer.members?["error"] == nil && (answer.members?["access_token"] as? String)?.isEmpty == false
    }

    /// A refused request at an endpoint of the client's.
    private var failure: Set<String> {
        if status == 429 { return ["rateLimited", "foreign"] }
        guard let code, isSuccess || status >= 400 else { return ["foreign"] }
        if status >= 500 { return ["serviceTrouble"] }
        return switch code {
        case "invalid_grant", "expired_token": ["refused.expired"]
        case "invalid_client", "unauthorized_client": ["configuration.clientRefused"]
        case "invalid_scope", "invalid_target": ["refused.scope"]
        case "invalid_request": status == 401 ? ["configuration.clientRefused"] : ["configuration.invalid"]
        case "unsupported_grant_type": ["configuration.unsupported"]
        case "server_error", "temporarily_unavailable": ["serviceTrouble"]
        case "access_denied": ["declined"]
        default: status == 401 ? ["configuration.clientRefused"] : ["refused.other"]
        }
    }

    /// Words in the names of what was tried that say: the client, not the grant.
    private static let clientWords = [
        "secret", "no client_id", "unknown client", "the other method", "public client", "the client was deleted",
        "put", "lost the grant type",
    ]

    /// Whether what was wrong is the grant, by what was tried.
    private var isAboutGrant: Bool {
        let tried = answer.tried.lowercased()
        return !Self.clientWords.contains { tried.contains($0) }
    }

    /// RFC 6749, sections 5.2 and 6, and what services say in place of `invalid_grant`: a session that worked before
    /// with the same client is not refused because of the client.
    private var refresh: Set<String> {
        if givesTokens { return tokens }
        if status == 429 { return ["rateLimited", "foreign"] }
        guard let code, isSuccess || status >= 400 else { return ["foreign"] }
        if status >= 500 { return ["serviceTrouble"] }
        switch code {
        case "invalid_grant": return ["session over"]
        case "invalid_client": return ["configuration.clientRefused"]
        case "server_error", "temporarily_unavailable": return ["serviceTrouble"]
        case "unauthorized_client":
            return isAboutGrant ? ["refused, kept", "session over"] : ["configuration.clientRefused", "refused, kept"]
        case "invalid_request" where status == 401:
            return isAboutGrant ? ["refused, kept", "session over"] : ["configuration.clientRefused", "refused, kept"]
        default: return ["refused, kept"]
        }
    }

    /// RFC 8628, section 3.5.
    private var poll: Set<String> {
        if givesTokens { return ["tokens"] }
        guard let code, status < 500, status != 429 else { return ["slower"] }
        return switch code {
        case "authorization_pending": ["pending"]
        case "slow_down": ["slower"]
        case "access_denied": ["declined"]
        case "expired_token", "invalid_grant": ["refused.expired"]
        default: failure
        }
    }

    /// RFC 7009, sections 2.2 and 2.2.1.
    private var revocation: Set<String> {
        if isSuccess { return isPage ? ["foreign"] : ["done"] }
        if status == 429 { return ["rateLimited", "foreign"] }
        guard let code, status >= 400 else {
            // A refusal without a word may be the service's or a gateway's.
            return status == 401 ? ["foreign", "configuration.unsupported"] : ["foreign"]
        }
        if status >= 500 { return ["serviceTrouble"] }
        return ["invalid_token", "invalid_grant"].contains(code) ? ["done"] : ["configuration.unsupported"]
    }

    /// Core 5.3.2 and 5.3.3; RFC 6750, section 3.1.
    private var userinfo: Set<String> {
        let challenge = answer.response?.fields["WWW-Authenticate"] ?? ""
        if isSuccess, answer.members?["sub"] is String { return ["claims"] }
        if isSuccess, answer.members?["email"] is String { return ["untrusted.malformed"] }
        let named = code ?? (answer.members?["error"] as? String)
        switch status {
        case 401: return ["signInRequired.notAccepted", "foreign"]
        case 403 where challenge.contains("insufficient_scope") || named == "insufficient_scope":
            return ["refused.scope"]
        case 403: return ["refused.denied", "foreign"]
        default: return ["foreign"]
        }
    }

    /// RFC 6750, section 3.1.
    private var api: Set<String> {
        let challenge = answer.response?.fields["WWW-Authenticate"] ?? ""
        switch status {
        case 401 where challenge.contains("insufficient_scope"): return ["insufficient"]
        case 403 where challenge.contains("insufficient_scope"): return ["insufficient"]
        case 401: return ["rejected"]
        default: return ["accepted"]
        }
    }
}
