import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// Signing in at another service, and switching between sign-in and sign-up.
extension ClerkConversation {
    func visit(_ url: String?, _ redirect: String) throws -> Turn {
        guard let url, WebAddress(url)?.isSecure == true else {
            throw provider.error(.untrusted(.malformed), "The service names no address to sign in at.")
        }
        return asked(.visit(url: url, redirect: redirect))
    }

    /// Continues after the browser has returned. The service adds no state of its own to the
    /// address, so it counts only for the waiting attempt, at that attempt's address.
    func returned(to address: Secret) async throws -> Turn {
        let query = try answered(at: address)
        let nonce = query["rotating_token_nonce"].flatMap { $0.isEmpty ? nil : $0 }
        let answer = try await service.get(path, FormParameters(of: ["rotating_token_nonce": nonce]))
        var conversation = self
        // If the person returns without having signed in, do not send them there again.
        conversation.pending = pending.with(["redirect": nil])
        return pending["kind"]?.string == "sign_up"
            ? try await conversation.nextOfSignUp(answer) : try await conversation.next(answer)
    }

    /// Returns the query of an address, which must belong to this attempt.
    func answered(at address: Secret) throws -> FormParameters {
        let parts = address.revealText().split(separator: "?", maxSplits: 1).map(String.init)
        guard let redirect = pending["redirect"]?.string, parts.first == redirect else {
            throw StillOpen(provider.error(.untrusted(.state), "The browser came back to another address."))
        }
        let query = parts.count > 1 ? FormEncoding.decode(parts[1].prefix { $0 != "#" }) : FormParameters()
        let names = ["rotating_token_nonce", "flow_id", "approval_token"]
        guard let query, names.allSatisfy({ query.count(of: $0) < 2 }) else {
            throw StillOpen(provider.error(.untrusted(.malformed), "The address holds no form."))
        }
        return query
    }

    /// Continues with the other kind of attempt, because the person does not exist yet, or exists already.
    func transferred(to kind: String) async throws -> Turn {
        let answer = try await service.post("/client/\(kind)", FormParameters(of: ["transfer": "true"]))
        var conversation = self
        conversation.pending = pending.with(["redirect": nil, "transferred": true])
        // Once only: two answers that contradict each other would never end.
        guard pending["transferred"] == nil else {
            throw provider.error(.untrusted(.malformed), "The service sends the sign-in back and forth.")
        }
        return kind == "sign_ups" ? try await conversation.nextOfSignUp(answer) : try await conversation.next(answer)
    }

    /// Returns the error that the other service, or Clerk about it, reported.
    func external(_ code: String) -> AuthError {
        let meaning = ClerkErrorCodes.meaning(code) ?? .refused(.other)
        return AuthError(
            meaning == .refused(.wrongInput) ? .refused(.other) : meaning,
            "The other service did not sign the person in.",
            provider: provider.name, serviceCode: ClerkErrorCodes.meaning(code) == nil ? nil : code)
    }
}
