import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// Signing in at another service, and going over between the two kinds of attempts.
extension ClerkConversation {
    func visit(_ url: String?, _ redirect: String) throws -> Turn {
        guard let url, WebAddress(url)?.isSecure == true else {
            throw provider.error(.untrusted(.malformed), "The service names no address to sign in at.")
        }
        return asked(.visit(url: url, redirect: redirect))
    }

    /// The browser came back. The service adds no state of its own to the address, so it counts only for the attempt that
    /// waits, at the address that the attempt was given.
    func returned(to address: Secret) async throws -> Turn {
        let query = try answered(at: address)
        let nonce = query["rotating_token_nonce"].flatMap { $0.isEmpty ? nil : $0 }
        let answer = try await service.get(path, FormParameters(of: ["rotating_token_nonce": nonce]))
        var conversation = self
        // Who comes back without having signed in is not sent there again.
        conversation.pending = pending.with(["redirect": nil])
        return pending["kind"]?.string == "sign_up"
            ? try await conversation.nextOfSignUp(answer) : try await conversation.next(answer)
    }

    /// What an address has in its query, which has to be one of this attempt's.
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

    /// The other kind of attempt takes over: there is no such person yet, or there is one.
    func transferred(to kind: String) async throws -> Turn {
        let answer = try await service.post("/client/\(kind)", FormParameters(of: ["transfer": "true"]))
        var conversation = self
        conversation.pending = pending.with(["redirect": nil, "transferred": true])
        // Once, or two answers that contradict each other would go on for ever.
        guard pending["transferred"] == nil else {
            throw provider.error(.untrusted(.malformed), "The service sends the sign-in back and forth.")
        }
        return kind == "sign_ups" ? try await conversation.nextOfSignUp(answer) : try await conversation.next(answer)
    }

    /// What the other service, or Clerk about it, said.
    func external(_ code: String) -> AuthError {
        let meaning = ClerkErrorCodes.meaning(code) ?? .refused(.other)
        return AuthError(
            meaning == .refused(.wrongInput) ? .refused(.other) : meaning,
            "The other service did not sign the person in.",
            provider: provider.name, serviceCode: ClerkErrorCodes.meaning(code) == nil ? nil : code)
    }
}
