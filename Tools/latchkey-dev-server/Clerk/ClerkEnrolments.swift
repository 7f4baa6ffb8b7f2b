import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

/// Second factors of a person, and the sessions on all clients.
extension ClerkState {
    mutating func answerFactor(
        _ call: ClerkCall, _ path: [String], _ person: ClerkPerson
    ) throws(ClerkRefusal) -> JSON {
        switch (call.method, path.joined(separator: "/")) {
        case ("POST", "totp"):
            let key = Base32.encode(SecureRandom.bytes(20))
            people[person.id]?.newTOTP = key
            let uri = "otpauth://totp/Latchkey:\(person.email ?? person.id)?secret=\(key)&issuer=Latchkey"
            return totp(person, ["secret": .string(key), "uri": .string(uri), "verified": false])
        case ("POST", "totp/attempt_verification"):
            try check(try call.required("code"), by: person.newTOTP)
            people[person.id]?.totp = person.newTOTP
            people[person.id]?.newTOTP = nil
            return totp(person, ["verified": true])
        case ("DELETE", "totp"):
            people[person.id]?.totp = nil
            return deleted("totp", "totp_\(person.id)")
        case ("POST", "backup_codes"):
            guard person.hasSecondFactor else { throw ClerkRefusal(400, "backup_codes_not_available") }
            let codes = (0..<10).map { _ in Base32.encode(SecureRandom.bytes(5)).lowercased() }
            people[person.id]?.backupCodes = codes
            return [
                "object": "backup_code", "id": .string("backup_\(person.id)"), "codes": .array(codes.map(JSON.string)),
                "created_at": time(wall), "updated_at": time(wall),
            ]
        default: throw ClerkRefusal(404, "resource_not_found")
        }
    }

    private func totp(_ person: ClerkPerson, _ more: [String: JSON]) -> JSON {
        let members: [String: JSON] = [
            "object": "totp", "id": .string("totp_\(person.id)"), "backup_codes": .null, "secret": .null, "uri": .null,
            "created_at": time(wall), "updated_at": time(wall),
        ]
        return .object(members.merging(more) { $1 })
    }

    mutating func answerSessions(
        _ call: ClerkCall, _ path: [String], _ session: ClerkSession
    ) throws(ClerkRefusal) -> ClerkReply {
        let own = clients.all.flatMap(\.signedIn).filter { $0.person == session.person }
        if call.method == "GET", path == ["sessions", "active"] || path == ["sessions"] {
            return .bare(.array(own.sorted { $0.id < $1.id }.map(withActivity)))
        }
        guard call.method == "POST", path.count == 3, path[2] == "revoke", own.contains(where: { $0.id == path[1] })
        else { throw ClerkRefusal(404, "resource_not_found") }
        endSessions("revoked") { $0.id == path[1] }
        let ended = clients.all.flatMap(\.sessions).first { $0.id == path[1] }
        return .wrapped(ended.map { withActivity($0) } ?? .null)
    }

    private func withActivity(_ session: ClerkSession) -> JSON {
        guard case .object(var members) = object(session, withUser: false) else { return .null }
        members["last_active_at"] = time(session.createdAt)
        members["latest_activity"] = [
            "object": "session_activity", "id": .string("sess_activity_\(session.id)"), "browser_name": "Latchkey",
            "browser_version": "1", "device_type": .null, "ip_address": "127.0.0.1", "city": .null, "country": .null,
            "is_mobile": false,
        ]
        return .object(members)
    }
}
