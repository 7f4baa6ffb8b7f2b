import LatchkeyJSON

/// A sign-up in JSON.
extension ClerkState {
    func object(_ attempt: ClerkSignUp) -> JSON {
        func text(_ name: String) -> JSON { attempt.values[name].map(JSON.string) ?? .null }
        let strings: ([String]) -> JSON = { .array($0.map(JSON.string)) }
        let (missing, open, needed) = (missing(attempt), open(attempt), settings.neededFields)
        let optional = Self.signUpFields.filter {
            $0 != "legal_accepted" && ($0 != "password" || settings.hasPasswords) && !needed.contains($0)
        }
        var members: [String: JSON] = [
            "object": "sign_up_attempt", "id": .string(attempt.id),
            "status": attempt.person == nil ? "missing_requirements" : "complete",
            "required_fields": strings(needed),
            "optional_fields": strings(optional),
            "missing_fields": strings(missing), "unverified_fields": strings(open),
            "verifications": [
                "email_address": verification("email_address", settings.mailStrategy ?? "email_code", attempt),
                "phone_number": verification("phone_number", "phone_code", attempt), "web3_wallet": .null,
                "external_account": attempt.external.map { verification($0, of: attempt).json } ?? .null,
            ],
            "password_enabled": .bool(attempt.values["password"] != nil),
            "has_password": .bool(attempt.values["password"] != nil), "unsafe_metadata": attempt.metadata,
            "public_metadata": .object([:]), "custom_action": false, "external_id": .null, "locale": .null,
            "web3_wallet": .null, "created_session_id": attempt.session.map(JSON.string) ?? .null,
            "created_user_id": attempt.person.map(JSON.string) ?? .null, "abandon_at": time(attempt.createdAt + 86_400),
            "legal_accepted_at": attempt.values["legal_accepted"] == nil ? .null : time(attempt.createdAt),
            "external_account_strategy": attempt.external.map { .string($0.strategy) } ?? .null,
            "external_account": .null,
        ]
        for name in ["email_address", "phone_number", "username", "first_name", "last_name"] {
            members[name] = text(name)
        }
        return .object(members)
    }

    private func verification(_ name: String, _ strategy: String, _ attempt: ClerkSignUp) -> JSON {
        guard attempt.values[name] != nil else { return .null }
        let isVerified = attempt.verified.contains(name)
        let link = name == "email_address" ? attempt.link.map { verification($0) } : nil
        var state = attempt.codes[name]?.verification() ?? link ?? ClerkVerification(strategy: strategy)
        let isPrepared = attempt.codes[name] != nil || link != nil
        if isVerified { state.status = "verified" }
        return .object(
            state.members.merging([
                "next_action": isVerified ? "" : isPrepared ? "needs_attempt" : "needs_prepare",
                "supported_strategies": [.string(strategy)],
            ]) { $1 })
    }
}
