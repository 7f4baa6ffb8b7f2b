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

    /// Continues after the browser has returned. The service adds no state of its own to the address, so the address
    /// proves nothing: the waiting attempt is read again, and what it says counts. Without a nonce the visit is over, too:
    /// the person has no account yet, or did not sign in.
    func returned(to address: Secret) async throws -> Turn {
        let back = try answered(at: address)
        if pending["kind"] == "verify" { return try await returnedToProve(back) }
        let answer = try await reread(back)
        var conversation = self
        // If the person returns without having signed in, do not send them there again.
        conversation.pending = pending.with(["redirect": nil])
        let isSignUp = pending["kind"] == "sign_up"
        guard Self.isOver(answer, isSignUp) else {
            let outcome = back.outcome(of: self)
            // A nonce that opens nothing was made up; the person's own return may still come.
            guard back.nonce == nil else { throw StillOpen(outcome) }
            throw outcome
        }
        return isSignUp ? try await conversation.nextOfSignUp(answer) : try await conversation.next(answer)
    }

    /// Reads the attempt that waits for the browser.
    private func reread(_ back: BrowserReturn) async throws -> JSON {
        do {
            let answer = try await service.get(path, FormParameters(of: ["rotating_token_nonce": back.nonce]))
            guard back.nonce == nil, service.isForeign || answer["id"] == nil else { return answer }
        } catch let error as AuthError {
            switch error.code {
            case .refused(.expired) where back.nonce == nil: break
            case .refused(.expired), .refused(.wrongInput), .refused(.other): throw StillOpen(error)
            default: throw error
            }
        }
        // The session was made, and no program got its client token.
        throw provider.error(
            .configuration(.clientRefused),
            "The browser came back without the proof of the sign-in: the instance gives it only to the redirect URLs on its"
                + " list, which must have \(pending["redirect"]?.string ?? "this program's").")
    }

    /// Whether the attempt says more than that the other service has not answered.
    private static func isOver(_ attempt: JSON, _ isSignUp: Bool) -> Bool {
        let open = isSignUp ? ["missing_requirements"] : ["needs_identifier", "needs_first_factor"]
        guard let status = attempt["status"]?.string, open.contains(status) else { return true }
        let verification =
            isSignUp ? attempt["verifications"]?["external_account"] : attempt["first_factor_verification"]
        return ["verified", "transferable"].contains(verification?["status"]?.string)
            || verification?["error"]?["code"]?.string != nil
    }

    /// Reads an address, which must belong to this attempt.
    func answered(at address: Secret) throws -> BrowserReturn {
        // A browser keeps to itself what stands behind a `#`.
        let whole = address.revealText().prefix { $0 != "#" }
        let parts = whole.split(separator: "?", maxSplits: 1).map(String.init)
        guard let redirect = pending["redirect"]?.string, parts.first == redirect else {
            throw StillOpen(provider.error(.untrusted(.state), "The browser came back to another address."))
        }
        guard let back = BrowserReturn(parts.count > 1 ? parts[1] : "") else {
            throw StillOpen(provider.error(.untrusted(.malformed), "The address holds no form."))
        }
        return back
    }

    private static let noAccount = "external_account_not_found"

    /// Continues with the other kind of attempt, because the person does not exist yet, or exists already.
    func transferred(to kind: String) async throws -> Turn {
        // What the app wanted as the visit began counts, in whatever process it ends.
        guard kind != "sign_ups" || pending["creates"]?.bool ?? provider.createsAccounts else {
            throw AuthError(
                .refused(.other), "The person has no account at the instance, and none was made.",
                provider: provider.name, serviceCode: Self.noAccount)
        }
        let answer = try await service.post("/client/\(kind)", FormParameters(of: ["transfer": "true"]))
        var conversation = self
        conversation.pending = pending.with(["redirect": nil, "transferred": true])
        // Once only: two answers that contradict each other would never end.
        guard pending["transferred"] == nil else {
            throw provider.error(.untrusted(.malformed), "The service sends the sign-in back and forth.")
        }
        return kind == "sign_ups" ? try await conversation.nextOfSignUp(answer) : try await conversation.next(answer)
    }

    /// Goes on after the other service, or Clerk about it, reported an error; `nil` if there is none. A person who is
    /// signed in on this client already gets that session.
    func failed(_ failure: JSON) async throws -> Turn? {
        guard let code = failure["code"]?.string else { return nil }
        guard code == "identifier_already_signed_in", let session = failure["meta"]?["session_id"]?.string,
            onShared != nil, service.context.shared?.session(AuthSession.ID(session)) != nil
        else { throw external(code) }
        return try await granted(session)
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
