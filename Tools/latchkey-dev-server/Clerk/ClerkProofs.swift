import LatchkeyJSON

/// A further proof of a factor during a session.
struct ClerkProof: Sendable {
    var session: String
    var person: String
    var level: String
    /// The factors still to be proven: 1, 2.
    var open: [Int]
    var first: ClerkCode?
    var second: ClerkCode?
    var passkey: String?
    var external: ClerkExternal?
    /// The strategies that the person has proven.
    var firstProof: String?
    var secondProof: String?
}

/// Reverification.
extension ClerkState {
    mutating func prove(
        _ call: ClerkCall, _ path: [String], _ client: inout ClerkClient, _ index: Int
    ) throws(ClerkRefusal) -> JSON {
        let session = client.sessions[index]
        guard let person = people[session.person] else { throw ClerkRefusal(401, "signed_out") }
        guard let step = path.first else {
            client.proof = try begin(call, session, person)
            return object(client.proof, client.sessions[index], person)
        }
        guard var proof = client.proof, proof.session == session.id, let open = proof.open.first else {
            throw ClerkRefusal(400, "session_reverification_missing")
        }
        // Wrong codes count even if the call fails.
        defer { client.proof = proof }
        switch (step, open) {
        case ("prepare_first_factor", 1): try prepareFirst(call, &proof, person)
        case ("attempt_first_factor", 1):
            try attemptFirst(call, &proof, person)
            client.sessions[index].firstFactorAt = wall
        case ("prepare_second_factor", 2):
            guard secondFactors(of: person).contains("phone_code"), try call.required("strategy") == "phone_code" else {
                throw ClerkRefusal(400, "strategy_for_user_invalid")
            }
            proof.second = try code(for: person, call)
        case ("attempt_second_factor", 2):
            let strategy = try call.required("strategy")
            guard secondFactors(of: person).contains(strategy) else {
                throw ClerkRefusal(400, "strategy_for_user_invalid")
            }
            try checkSecond(try call.required("code"), strategy, of: person, &proof.second)
            (proof.secondProof, client.sessions[index].secondFactorAt) = (strategy, wall)
            proof.open.removeFirst()
        default: throw ClerkRefusal(400, "client_state_invalid")
        }
        return object(proof, client.sessions[index], person)
    }

    private func begin(
        _ call: ClerkCall, _ session: ClerkSession, _ person: ClerkPerson
    ) throws(ClerkRefusal) -> ClerkProof {
        let level = try call.required("level")
        let wanted: [Int]
        switch level {
        case "first_factor": wanted = [1]
        case "second_factor": wanted = person.hasSecondFactor ? [2] : [1]
        case "multi_factor": wanted = person.hasSecondFactor ? [1, 2] : [1]
        default: throw ClerkRefusal(422, "form_param_value_invalid", ["param_name": "level"])
        }
        return ClerkProof(session: session.id, person: person.id, level: level, open: wanted)
    }

    private mutating func prepareFirst(
        _ call: ClerkCall, _ proof: inout ClerkProof, _ person: ClerkPerson
    ) throws(ClerkRefusal) {
        switch try call.required("strategy") {
        case "passkey":
            guard person.passkeys.values.contains(where: { $0.challenge == nil }) else {
                throw ClerkRefusal(422, "passkey_not_registered")
            }
            proof.passkey = Self.challenge()
        case "enterprise_sso": proof.external = try elsewhere(call, "enterprise_sso", person.email)
        default: proof.first = try code(for: person, call)
        }
    }

    private func attemptFirst(
        _ call: ClerkCall, _ proof: inout ClerkProof, _ person: ClerkPerson
    ) throws(ClerkRefusal) {
        let strategy = try call.required("strategy")
        switch strategy {
        case "passkey":
            guard try signer(call, of: proof.passkey).id == person.id else {
                throw ClerkRefusal(401, "passkey_authentication_failure")
            }
            proof.passkey = nil
        case "password": try check(try call.required("password"), of: person)
        default: try take(try call.required("code"), strategy, &proof.first)
        }
        proof.firstProof = strategy
        proof.open.removeFirst()
    }

    /// Counts a visit to the person's company as the first factor.
    func report(to proof: inout ClerkProof, _ client: inout ClerkClient) {
        proof.external?.email = people[proof.person]?.email
        proof.firstProof = proof.external?.strategy
        proof.open.removeAll { $0 == 1 }
        for index in client.sessions.indices where client.sessions[index].id == proof.session {
            client.sessions[index].firstFactorAt = wall
        }
    }

    private func object(_ proof: ClerkProof?, _ session: ClerkSession, _ person: ClerkPerson) -> JSON {
        let open = proof?.open.first
        let status = open == 1 ? "needs_first_factor" : open == 2 ? "needs_second_factor" : "complete"
        let used = ["password", "passkey", "email_code", "phone_code", "enterprise_sso"]
        let first = firstFactors(person).filter { used.contains($0["strategy"]?.string ?? "") }
        let second = secondFactors(of: person).map { factor($0, person) }
        return [
            "object": "session_reverification", "id": .string("sever_\(session.id)"), "status": .string(status),
            "level": .string(proof?.level ?? "first_factor"), "session": object(session),
            "supported_first_factors": .array(first),
            "supported_second_factors": second.isEmpty ? .null : .array(second),
            "first_factor_verification": proof.flatMap { firstVerification($0, person) }?.json ?? .null,
            "second_factor_verification": proof.flatMap(secondVerification)?.json ?? .null,
        ]
    }

    private func firstVerification(_ proof: ClerkProof, _ person: ClerkPerson) -> ClerkVerification? {
        if let strategy = proof.firstProof { return ClerkVerification(strategy: strategy, status: "verified") }
        if let challenge = proof.passkey { return passkey(challenge, person) }
        if let external = proof.external {
            let page = external.isOpen ? "\(origin)\(Self.browserPath)\(proof.session)" : nil
            return ClerkVerification(strategy: external.strategy, redirect: page)
        }
        return proof.first?.verification()
    }

    private func secondVerification(_ proof: ClerkProof) -> ClerkVerification? {
        if let strategy = proof.secondProof { return ClerkVerification(strategy: strategy, status: "verified") }
        return proof.second?.verification()
    }
}
