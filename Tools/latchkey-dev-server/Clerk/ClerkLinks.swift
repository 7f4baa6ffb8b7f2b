import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

/// A link that was sent.
struct ClerkLink: Sendable {
    var flow: String
    var approval: String
    var redirect: String
    /// The hash that the verifier must have; `nil` for a link that proves the address as soon as it is opened.
    var challenge: String?
    var expires: Double
    var isOpened = false
}

/// Links by mail, of two kinds. One is for native programs: what it brings works once, and only with the verifier of the
/// program that asked for it. The other proves the address when a browser opens it, and the program that waits asks again.
extension ClerkState {
    static let linkPath = "\(ClerkCall.prefix)/v1/verify"

    /// Sends a link to `email`.
    mutating func sendLink(
        _ call: ClerkCall, to email: String?, isNative: Bool = true
    ) throws(ClerkRefusal) -> ClerkLink {
        guard let email else { throw ClerkRefusal(400, "strategy_for_user_invalid") }
        let usesPKCE = isNative && call.form["redirect_url"] == nil
        let name = usesPKCE ? "redirect_uri" : "redirect_url"
        let redirect = try call.required(name)
        guard settings.allows(redirect: redirect) else {
            throw ClerkRefusal(422, "invalid_redirect_url", ["param_name": .string(name)])
        }
        var link = ClerkLink(
            flow: Self.name("flow"), approval: Self.name("approval"), redirect: redirect,
            expires: now + settings.codeLifetime)
        var address = "\(origin)\(Self.linkPath)?token=\(link.approval)"
        if usesPKCE {
            guard try call.required("code_challenge_method") == "S256" else {
                throw ClerkRefusal(422, "form_param_value_invalid", ["param_name": "code_challenge_method"])
            }
            link.challenge = try call.required("code_challenge")
            let mark = redirect.contains("?") ? "&" : "?"
            address = "\(redirect)\(mark)flow_id=\(link.flow)&approval_token=\(link.approval)"
        }
        send(to: email, link: address)
        return link
    }

    mutating func completeLink(_ call: ClerkCall, _ client: inout ClerkClient) throws(ClerkRefusal) -> ClerkReply {
        let verifier = try call.required("code_verifier")
        let flow = try call.required("flow_id")
        guard
            let link = [client.signIn?.link, client.signUp?.link].compactMap(\.self).first(where: { $0.flow == flow })
        else { throw ClerkRefusal(400, "flow_not_approved") }
        guard try call.required("approval_token") == link.approval else {
            throw ClerkRefusal(400, "approval_token_invalid")
        }
        guard now < link.expires else { throw ClerkRefusal(400, "approval_token_expired") }
        guard Base64URL.encode(Hash.digest(Array(verifier.utf8), .sha256)) == link.challenge else {
            throw ClerkRefusal(400, "pkce_verification_failed")
        }
        if client.signUp?.link?.flow == flow, var attempt = client.signUp {
            attempt.link = nil
            attempt.verified.insert("email_address")
            finish(&attempt, &client)
            client.signUp = attempt
            return .wrapped(object(attempt))
        }
        client.signIn?.link = nil
        let ticket = Self.name("ticket")
        links[ticket] = client.signIn?.person
        return .wrapped(["object": "magic_link", "flow_id": .string(flow), "ticket": .string(ticket)])
    }

    /// Answers the browser that opens a link of the second kind.
    mutating func openLink(_ request: ServerRequest) -> ServerResponse {
        let token = request.queryPairs.first { $0.name == "token" }?.value
        for var client in clients.all {
            for link in [client.signIn?.link, client.signIn?.secondLink, client.signUp?.link].compactMap(\.self)
            where link.approval == token && link.challenge == nil {
                guard now < link.expires else { return Self.back(link.redirect, [("__clerk_status", "expired")]) }
                guard !link.isOpened else { return Self.back(link.redirect, [("__clerk_status", "failed")]) }
                let session = open(link, &client)
                clients[client.id] = client
                let made = session.map { [("__clerk_created_session", $0)] } ?? []
                return Self.back(link.redirect, [("__clerk_status", "verified")] + made)
            }
        }
        return .text("There is no such link.\n", status: 404)
    }

    /// Counts the link as the proof that it was sent for. Returns the session that this made.
    private mutating func open(_ link: ClerkLink, _ client: inout ClerkClient) -> String? {
        if client.signUp?.link?.flow == link.flow, var attempt = client.signUp {
            attempt.link?.isOpened = true
            attempt.verified.insert("email_address")
            finish(&attempt, &client)
            client.signUp = attempt
            return attempt.session
        }
        guard var attempt = client.signIn else { return nil }
        if attempt.link?.flow == link.flow {
            attempt.link?.isOpened = true
            passFirst(&attempt, &client)
        } else {
            attempt.secondLink?.isOpened = true
            client.trusted.insert(attempt.person)
            finish(&attempt, &client, hasSecond: attempt.status == .needsSecond)
        }
        client.signIn = attempt
        return attempt.session
    }

    func verification(_ link: ClerkLink) -> ClerkVerification {
        let status = link.isOpened ? "verified" : now < link.expires ? "unverified" : "expired"
        return ClerkVerification(strategy: "email_link", status: status, expires: link.expires)
    }
}
