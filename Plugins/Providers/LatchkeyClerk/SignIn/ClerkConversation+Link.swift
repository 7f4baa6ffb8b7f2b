import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// A link by mail, in the form for native programs. PKCE (RFC 7636) binds it to this device, since
/// anyone who can read the mail could open it elsewhere. Clerk's specification does not describe
/// it; this follows its iOS library.
extension ClerkConversation {
    func sendLink(to who: String, _ redirect: String) async throws -> Turn {
        let attempt = try await service.post("/client/sign_ins", FormParameters(of: ["identifier": who]))
        let factors = attempt["supported_first_factors"]?.array ?? []
        guard let factor = factors.first(where: { $0["strategy"] == "email_link" }),
            let address = factor["email_address_id"]?.string
        else {
            // As for a password: who signs in elsewhere only is led there.
            guard SessionWire.factors(attempt["supported_first_factors"], Factor.first).isEmpty,
                factors.contains(where: { Strategy.isVisit($0["strategy"]?.string ?? "") })
            else { throw unsupported("links by mail to this person") }
            return try await next(attempt)
        }
        var conversation = self
        conversation.pending = pending.with([
            "attempt": attempt["id"], "kind": "sign_in", "strategy": "email_link", "id": .string(address),
            "redirect": .string(redirect),
            "sentTo": provider.tellsUnknownPeople ? factor["safe_identifier"] : Self.shown(who).map(JSON.string),
        ])
        return try await conversation.prepareLink()
    }

    /// Sends a link with a verifier of its own. Sending another link makes the one before useless.
    func prepareLink() async throws -> Turn { try await prepareLink("prepare_\(level)_factor") }

    /// Verifies the address of a sign-up with a link.
    func verifyByLink() async throws -> Turn { try await prepareLink("prepare_verification") }

    private func prepareLink(_ call: String) async throws -> Turn {
        guard let proof = ProofKey(random: service.context.world.random(32)) else {
            throw provider.error(.configuration(.invalid), "There is not enough randomness.")
        }
        let form = FormParameters(of: [
            "strategy": "email_link", "email_address_id": pending["id"]?.string,
            "redirect_uri": pending["redirect"]?.string, "code_challenge": proof.challenge,
            "code_challenge_method": ProofKey.method,
        ])
        _ = try await service.post("\(path)/\(call)", form)
        return asked(
            .openedLink(sentTo: pending["sentTo"]?.string), ["verifier": .string(proof.verifier.revealText())])
    }

    private func unapproved(_ back: BrowserReturn) -> AuthError {
        switch back.status {
        case "expired": provider.error(.refused(.expired), "The link is too old; ask for another one.")
        case "client_mismatch":
            provider.error(.refused(.other), "The link was asked for on another device, and works only there.")
        case "failed": provider.error(.refused(.denied), "The service does not take this link.")
        default: provider.error(.untrusted(.state), "The link brought no approval.")
        }
    }

    /// Continues after the link was opened. It brought an approval, which works only with this attempt's verifier.
    func opened(_ address: Secret) async throws -> Turn {
        let back = try answered(at: address)
        guard let flow = back.flow, let approval = back.approval else { throw StillOpen(unapproved(back)) }
        let form = FormParameters(of: [
            "flow_id": flow, "approval_token": approval, "code_verifier": pending["verifier"]?.string,
        ])
        let answer = try await service.post("/client/magic_links/complete", form)
        var conversation = self
        conversation.pending = pending.with(["redirect": nil, "verifier": nil, "strategy": nil, "id": nil])
        if answer["object"] == "sign_up_attempt" { return try await conversation.nextOfSignUp(answer) }
        guard let ticket = answer["ticket"]?.string, !ticket.isEmpty else {
            throw provider.error(.untrusted(.malformed), "The answer holds no ticket.")
        }
        return try await conversation.signIn(["strategy": "ticket", "ticket": ticket])
    }
}
