import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// A sign-in: from its first answer to the session.
extension ClerkConversation {
    /// Creates a sign-in. It replaces any that the client had.
    func signIn(_ members: KeyValuePairs<String, String?>, with changes: Pending = [:]) async throws -> Turn {
        var conversation = self
        conversation.pending = pending.with(changes.mapValues { $0 })
        let answer = try await service.post("/client/sign_ins", FormParameters(of: members))
        return try await conversation.next(answer)
    }

    /// Returns what the attempt needs next, or the grant.
    func next(_ answer: JSON) async throws -> Turn {
        var conversation = self
        conversation.pending = pending.with(["attempt": answer["id"], "kind": "sign_in"])
        return try await conversation.turn(answer)
    }

    private func turn(_ attempt: JSON) async throws -> Turn {
        let first = attempt["first_factor_verification"]
        switch attempt["status"]?.string {
        case "complete":
            guard let session = attempt["created_session_id"]?.string else {
                throw provider.error(.untrusted(.malformed), "The sign-in is complete, and names no session.")
            }
            return try await made(session)
        case "needs_identifier", "needs_first_factor":
            if first?["status"]?.string == "transferable" { return try await transferred(to: "sign_ups") }
            if let failure = first?["error"], let turn = try await failed(failure) { return turn }
            if let redirect = pending["redirect"]?.string {
                return try visit(first?["external_verification_redirect_url"]?.string, redirect)
            }
            if pending["strategy"] == "passkey", pending["shown"] == nil { return try passkey(attempt) }
            guard attempt["status"] == "needs_first_factor" else {
                return asked(.fields([Ask.Field(name: "identifier")]))
            }
            return try await firstFactor(attempt)
        case "needs_second_factor", "needs_client_trust":
            let factors = SessionWire.factors(
                attempt["supported_second_factors"], Factor.second, hasRedirect: pending["back"] != nil)
            return try await choose(factors, level: "second")
        case "needs_new_password": return asked(.newPassword(rules: []))
        case "needs_protect_check": throw protected
        case "abandoned": throw provider.error(.refused(.expired), "The sign-in was given up; begin again.")
        default: throw unsupported("what this sign-in needs")
        }
    }

    /// Asks for the code that was sent with the first call, or for the person's choice.
    private func firstFactor(_ attempt: JSON) async throws -> Turn {
        if let strategy = pending["strategy"]?.string, let channel = Strategy.channel(strategy),
            attempt["first_factor_verification"]?["strategy"]?.string == strategy
        {
            let factor = SessionWire.factors(attempt["supported_first_factors"], [strategy]).first
            // As for a person whom the service does not know: it would show a part of an address that was not typed.
            let shown = provider.tellsUnknownPeople ? factor?.shown : pending["who"]?.string.flatMap(Self.shown)
            return asked(
                .code(over: channel, sentTo: shown),
                ["id": factor?.id.map(JSON.string), "sentTo": shown.map(JSON.string)])
        }
        return try await choose(
            SessionWire.factors(
                attempt["supported_first_factors"], Factor.first, hasRedirect: pending["back"] != nil), level: "first")
    }

    func choose(_ factors: [Factor], level: String) async throws -> Turn {
        guard let only = factors.first else { throw unsupported("any factor that this person has") }
        let options = factors.map { Ask.Option(id: $0.choice, label: $0.label) }
        let names = JSON.object(Dictionary(factors.map { ($0.choice, .string($0.shown ?? "")) }) { first, _ in first })
        var conversation = self
        conversation.pending = pending.with(["level": .string(level), "shown": names])
        return factors.count == 1 ? try await conversation.open(only.choice) : conversation.asked(.choose(options))
    }

    /// Starts the factor that was chosen.
    func open(_ choice: String) async throws -> Turn {
        guard let shown = pending["shown"]?[choice]?.string else { throw unsupported("this choice") }
        let parts = choice.split(separator: ":", maxSplits: 1).map(String.init)
        var conversation = self
        conversation.pending = pending.with([
            "strategy": .string(parts[0]), "id": parts.count > 1 ? .string(parts[1]) : nil, "shown": nil,
            "sentTo": shown.isEmpty ? nil : .string(shown),
        ])
        switch parts[0] {
        case "password": return conversation.asked(.password)
        case "totp": return conversation.asked(.totp)
        case "backup_code": return conversation.asked(.backupCode)
        default: return try await conversation.prepare()
        }
    }

    /// Sends the person to where the factor is proven, or has a link sent.
    private func prepareElsewhere(_ strategy: String) async throws -> Turn {
        guard let back = pending["back"]?.string else { throw unsupported("a browser without a redirect address") }
        var conversation = self
        conversation.pending = pending.with(["redirect": .string(back)])
        guard strategy != "email_link" else { return try await conversation.prepareLink() }
        let form = FormParameters(of: ["strategy": strategy, "redirect_url": back])
        let attempt = try await service.post("\(path)/prepare_\(level)_factor", form)
        let verification = attempt["\(level)_factor_verification"]
        if pending["kind"] == "verify" {
            conversation.pending["visitedAt"] = .integer(Int64(service.context.serverNow.timeIntervalSince1970))
        } else if level == "first" {
            conversation.pending["asked"] = attempt["identifier"]
        }
        return try conversation.visit(verification?["external_verification_redirect_url"]?.string, back)
    }

    /// Sends a code and asks for it.
    func prepare() async throws -> Turn {
        if let strategy = pending["strategy"]?.string, Factor.needsRedirect(strategy) {
            return try await prepareElsewhere(strategy)
        }
        if pending["strategy"] == "passkey" {
            let form = FormParameters(of: ["strategy": "passkey"])
            return try await passkey(service.post("\(path)/prepare_\(level)_factor", form))
        }
        guard let strategy = pending["strategy"]?.string, let channel = Strategy.channel(strategy) else {
            throw unsupported("sending this again")
        }
        let id = pending["id"]?.string
        let form = FormParameters(of: [
            "strategy": strategy, channel == .mail ? "email_address_id" : "phone_number_id": id,
        ])
        _ = try await service.post("\(path)/prepare_\(level)_factor", form)
        return asked(.code(over: channel, sentTo: pending["sentTo"]?.string))
    }

    /// Asks the device to sign, with WebAuthn's options.
    private func passkey(_ attempt: JSON) throws -> Turn {
        let nonce = attempt["\(level)_factor_verification"]?["nonce"]?.string ?? ""
        guard let request = try? JSON.parse(Array(nonce.utf8)), request.object != nil else {
            throw provider.error(.untrusted(.malformed), "The answer holds no options for a passkey.")
        }
        return asked(.passkey(request: request))
    }

    /// Proves a factor.
    func attempt(_ members: KeyValuePairs<String, String?>) async throws -> Turn {
        let answer = try await service.post("\(path)/attempt_\(level)_factor", FormParameters(of: members))
        return pending["kind"]?.string == "verify" ? try await nextOfStepUp(answer) : try await next(answer)
    }

    var level: String { pending["level"]?.string == "second" ? "second" : "first" }

    var protected: AuthError {
        provider.error(
            .refused(.captcha),
            "The instance's Protect rules ask for a check in a browser; exempt native programs in the dashboard.")
    }
}
