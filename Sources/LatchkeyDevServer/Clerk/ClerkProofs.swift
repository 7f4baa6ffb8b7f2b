import LatchkeyJSON

/// Reverification.
extension ClerkState {
    mutating func prove(
        _ call: ClerkCall, _ path: [String], _ client: inout ClerkClient, _ index: Int
    ) throws(ClerkRefusal) -> JSON {
        let session = client.sessions[index]
        guard let person = people[session.person] else { throw ClerkRefusal(401, "signed_out") }
        if path.isEmpty {
            let wanted: [Int]
            switch try call.required("level") {
            case "first_factor": wanted = [1]
            case "second_factor": wanted = person.hasSecondFactor ? [2] : [1]
            case "multi_factor": wanted = person.hasSecondFactor ? [1, 2] : [1]
            default: throw ClerkRefusal(422, "form_param_value_invalid", ["param_name": "level"])
            }
            client.proof = ClerkProof(session: session.id, person: person.id, open: wanted)
        } else {
            guard client.proof?.session == session.id, let open = client.proof?.open.first else {
                throw ClerkRefusal(400, "session_reverification_missing")
            }
            switch (path[0], open) {
            case ("prepare_first_factor", 1) where call.form["strategy"] == "passkey":
                client.proof?.passkey = Self.challenge()
            case ("prepare_first_factor", 1): client.proof?.first = try code(for: person, call)
            case ("attempt_first_factor", 1):
                if try call.required("strategy") == "passkey" {
                    guard try signer(call, of: client.proof?.passkey).id == person.id else {
                        throw ClerkRefusal(401, "passkey_authentication_failure")
                    }
                    client.proof?.passkey = nil
                } else if try call.required("strategy") == "password" {
                    try check(try call.required("password"), of: person)
                } else {
                    var sent = client.proof?.first
                    defer { client.proof?.first = sent }
                    try take(try call.required("code"), try call.required("strategy"), &sent)
                }
                client.sessions[index].firstFactorAt = wall
                client.proof?.open.removeFirst()
            case ("attempt_second_factor", 2):
                try check(try call.required("code"), by: person.totp)
                client.sessions[index].secondFactorAt = wall
                client.proof?.open.removeFirst()
            default: throw ClerkRefusal(400, "client_state_invalid")
            }
        }
        return object(client.proof, client.sessions[index], person)
    }

    private func object(_ proof: ClerkProof?, _ session: ClerkSession, _ person: ClerkPerson) -> JSON {
        let open = proof?.open.first
        let status = open == 1 ? "needs_first_factor" : open == 2 ? "needs_second_factor" : "complete"
        let first = firstFactors(person).filter { $0["strategy"]?.string?.hasPrefix("reset") == false }
        return [
            "object": "session_reverification", "status": .string(status), "session": object(session),
            "supported_first_factors": .array(first), "first_factor_verification": passkey(proof?.passkey, person),
            "supported_second_factors": person.totp == nil ? .null : [["strategy": "totp"]],
        ]
    }
}
