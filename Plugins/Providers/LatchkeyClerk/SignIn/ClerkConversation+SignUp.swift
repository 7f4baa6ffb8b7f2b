import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// A sign-up: asks for missing fields and verifies unverified ones.
extension ClerkConversation {
    func signUp(_ form: SignUpForm, locale: String?) async throws -> Turn {
        let who = form.identifier
        let name = who.contains("@") ? "email_address" : who.hasPrefix("+") ? "phone_number" : "username"
        var members = FormParameters(of: [
            name: who.isEmpty ? nil : who, "password": form.password?.revealText(), "locale": locale,
        ])
        for (name, value) in form.fields.sorted(by: { $0.key < $1.key }) {
            members.add(name, value.string ?? String(decoding: value.serialized(), as: UTF8.self))
        }
        return try await nextOfSignUp(service.post("/client/sign_ups", members))
    }

    func nextOfSignUp(_ answer: JSON) async throws -> Turn {
        var conversation = self
        conversation.pending = pending.with(["attempt": answer["id"], "kind": "sign_up"])
        return try await conversation.turnOfSignUp(answer)
    }

    private func turnOfSignUp(_ attempt: JSON) async throws -> Turn {
        let external = attempt["verifications"]?["external_account"]
        switch attempt["status"]?.string {
        case "complete":
            guard let session = attempt["created_session_id"]?.string else { return .continuesElsewhere(.signIn) }
            return try await made(session)
        case "missing_requirements":
            if external?["status"]?.string == "transferable" { return try await transferred(to: "sign_ins") }
            if let failure = external?["error"], let turn = try await failed(failure) { return turn }
            if attempt["protect_check"]?["status"] != nil { throw protected }
            let missing = (attempt["missing_fields"]?.array ?? []).compactMap(\.string)
            if !missing.isEmpty { return try await fields(missing) }
            return try await verification(attempt)
        case "abandoned": throw provider.error(.refused(.expired), "The sign-up was given up; begin again.")
        default: throw unsupported("what this sign-up needs")
        }
    }

    private static let legal = "legal_accepted"

    /// Asks for what can be typed, then leads to another service where an account is missing, and asks for the person's
    /// agreement at last.
    private func fields(_ missing: [String]) async throws -> Turn {
        let done = ["passkey", "web3_wallet", "protect_check", "ticket"]
        let typed = missing.filter { !Strategy.isVisit($0) && !done.contains($0) && $0 != Self.legal }
        guard typed.isEmpty else {
            return asked(.fields(typed.map { $0 == "password" ? .newPassword($0) : Ask.Field(name: $0) }))
        }
        if let strategy = missing.first(where: Strategy.isVisit), let back = pending["back"]?.string {
            return try await visit(strategy, back)
        }
        guard missing.contains(Self.legal) else {
            let names = missing.filter(ClerkFailure.isWord).joined(separator: ", ")
            throw unsupported("what this sign-up lacks (\(names)) but in a browser")
        }
        let places = try await service.environment().legalPlaces
        let named = places.isEmpty ? "" : ": \(places.joined(separator: " "))"
        return asked(
            .choose([
                Ask.Option(id: Self.legal, label: "I accept the terms of this service\(named)"),
                Ask.Option(id: "declined", label: "I do not accept them"),
            ]))
    }

    /// Leads to the other service where the person needs an account.
    private func visit(_ strategy: String, _ back: String) async throws -> Turn {
        guard pending["visited"]?.string != strategy else {
            throw provider.error(.untrusted(.malformed), "The service asks for one account at another service twice.")
        }
        let form = FormParameters(of: ["strategy": strategy, "redirect_url": back])
        let attempt = try await service.post("\(path)/prepare_verification", form)
        var conversation = self
        conversation.pending = pending.with(["redirect": .string(back), "visited": .string(strategy)])
        let place = attempt["verifications"]?["external_account"]?["external_verification_redirect_url"]?.string
        return try conversation.visit(place, back)
    }

    /// Takes the person's word about the terms.
    func accepted(_ choice: String) async throws -> Turn {
        guard choice == Self.legal else { throw provider.error(.declined, "The person did not accept the terms.") }
        let form = FormParameters(of: [Self.legal: "true"])
        return try await nextOfSignUp(service.post(path, form, method: "PATCH"))
    }

    func complete(_ fields: [String: Secret]) async throws -> Turn {
        var members = FormParameters()
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { members.add(name, value.revealText()) }
        return try await nextOfSignUp(service.post(path, members, method: "PATCH"))
    }

    /// Verifies the first unverified field. Sends a code unless the service has done so.
    private func verification(_ attempt: JSON) async throws -> Turn {
        let open = (attempt["unverified_fields"]?.array ?? []).compactMap(\.string)
        guard let name = ["email_address", "phone_number"].first(where: open.contains) else {
            throw unsupported("what this sign-up has to verify")
        }
        let verification = attempt["verifications"]?[name]
        if name == "email_address", let back = pending["back"], wantsLink(verification) {
            var conversation = self
            conversation.pending = pending.with([
                "redirect": back, "strategy": "email_link", "id": nil, "sentTo": attempt[name]?.string.map(JSON.string),
            ])
            return try await conversation.verifyByLink()
        }
        let channel = name == "email_address" ? DeliveryChannel.mail : .sms
        var conversation = self
        conversation.pending = pending.with([
            "strategy": .string(Strategy.code(channel)), "sentTo": attempt[name]?.string.map(JSON.string),
        ])
        guard verification?["next_action"]?.string == "needs_attempt" else { return try await conversation.verify() }
        return conversation.asked(.code(over: channel, sentTo: attempt[name]?.string))
    }

    /// Whether the address is verified by a link: the instance has no codes, or the app wants links.
    private func wantsLink(_ verification: JSON?) -> Bool {
        let offered = (verification?["supported_strategies"]?.array ?? []).compactMap(\.string)
        guard offered.contains("email_link") else { return false }
        return pending["links"]?.bool ?? provider.verifiesByLink || !offered.contains("email_code")
    }

    /// Sends a code and asks for it.
    func verify() async throws -> Turn {
        guard let strategy = pending["strategy"]?.string, let channel = Strategy.channel(strategy) else {
            throw unsupported("sending this again")
        }
        _ = try await service.post("\(path)/prepare_verification", FormParameters(of: ["strategy": strategy]))
        return asked(.code(over: channel, sentTo: pending["sentTo"]?.string))
    }
}
