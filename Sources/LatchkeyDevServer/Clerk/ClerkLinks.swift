import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

/// Links by mail, for native programs. What a link brings works once, and only with the verifier of the program
/// that asked for it.
extension ClerkState {
    mutating func sendLink(
        _ call: ClerkCall, _ attempt: inout ClerkSignIn, _ person: ClerkPerson
    ) throws(ClerkRefusal) {
        guard let email = person.email else { throw ClerkRefusal(400, "strategy_for_user_invalid") }
        let redirect = try call.required("redirect_uri")
        guard redirect.hasPrefix("http://127.0.0.1:") || settings.redirects.contains(redirect) else {
            throw ClerkRefusal(422, "invalid_redirect_url", ["param_name": "redirect_uri"])
        }
        guard try call.required("code_challenge_method") == "S256" else {
            throw ClerkRefusal(422, "form_param_value_invalid", ["param_name": "code_challenge_method"])
        }
        let link = ClerkLink(
            flow: Self.name("flow"), approval: Self.name("approval"), challenge: try call.required("code_challenge"),
            expires: now + settings.codeLifetime)
        attempt.link = link
        let mark = redirect.contains("?") ? "&" : "?"
        let address = "\(redirect)\(mark)flow_id=\(link.flow)&approval_token=\(link.approval)"
        messages = messages.suffix(999) + [DevServer.ClerkMessage(to: email, link: address)]
    }

    mutating func completeLink(_ call: ClerkCall, _ client: inout ClerkClient) throws(ClerkRefusal) -> ClerkReply {
        let verifier = try call.required("code_verifier")
        guard var attempt = client.signIn, let link = attempt.link, try call.required("flow_id") == link.flow else {
            throw ClerkRefusal(400, "flow_not_approved")
        }
        guard try call.required("approval_token") == link.approval else {
            throw ClerkRefusal(400, "approval_token_invalid")
        }
        guard now < link.expires else { throw ClerkRefusal(400, "approval_token_expired") }
        guard Base64URL.encode(Hash.digest(Array(verifier.utf8), .sha256)) == link.challenge else {
            throw ClerkRefusal(400, "pkce_verification_failed")
        }
        attempt.link = nil
        client.signIn = attempt
        let ticket = Self.name("ticket")
        links[ticket] = attempt.person
        return .wrapped(["object": "magic_link", "flow_id": .string(link.flow), "ticket": .string(ticket)])
    }
}
