import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

extension SupabaseState {
    /// Refreshes a session.
    mutating func refresh(_ call: SupabaseCall, note: inout Note) throws(SupabaseFailure) -> ServerResponse {
        let token = try call.body().string(SupabaseWire.refreshToken) ?? ""
        if Self.isOldToken(token) { return try refresh(oldToken: token, note: &note) }
        guard let read = Self.read(counterToken: token) else { throw .validation("Refresh token is not valid") }
        guard var session = sessions[read.session] else { throw Self.unknownToken }
        let proof = Array(KeyedHash.code(for: read.signed, key: session.key).prefix(16))
        guard constantTimeEqual(proof, read.signature) else { throw .validation("Refresh token is not valid") }
        (note.family, note.generation) = (session.serial, read.counter)
        let person = try holder(of: session)
        let difference = session.counter - read.counter
        guard difference >= 0 else {
            throw .validation("Invalid Refresh Token: Not Issued By This Server")
        }
        if difference == 0 {
            session.counter += 1
            return try rotated(session, person, presented: read.counter, note: &note)
        }
        let isRecent = now < session.lastUse + settings.reuseInterval
        var causes: [String] = []
        if isRecent { causes.append("concurrent-refresh") }
        if difference == 1 { causes.append("fail-to-save") }
        if causes.isEmpty, settings.alwaysAllowsReuse { causes.append("always-allow") }
        let used = (session: session.id, presented: read.counter, current: session.counter)
        guard !causes.isEmpty else {
            if settings.rotation { sessions[session.id] = nil }
            log(used.session, used.presented, used.current, SupabaseCode.refreshTokenAlreadyUsed.rawValue)
            var failure = SupabaseFailure(400, .refreshTokenAlreadyUsed, "Invalid Refresh Token: Already Used")
            failure.fields = Self.owner(session)
            if settings.rotation { failure.fields.append(("Sb-Auth-Refresh-Token-Rotated", "true")) }
            throw failure
        }
        session.refreshedAt = now
        sessions[session.id] = session
        note.generation = session.counter
        log(used.session, used.presented, used.current, "reused")
        var response = try answer(session, person)
        response.set("Sb-Auth-Refresh-Token-Reuse-Cause", causes.joined(separator: ","))
        return response
    }

    /// Returns the person of a session that may continue.
    func holder(of session: SupabaseSession) throws(SupabaseFailure) -> SupabasePerson {
        guard let person = people[session.user] else { throw Self.unknownToken }
        guard !person.isBanned(now) else {
            var failure = SupabaseFailure(400, .userBanned, "Invalid Refresh Token: User Banned")
            failure.fields = [("Sb-Auth-User-Id", person.id)]
            throw failure
        }
        guard let reason = expiry(of: session, person) else { return person }
        var failure = SupabaseFailure(400, .sessionExpired, "Invalid Refresh Token: Session Expired\(reason)")
        failure.fields = Self.owner(session)
        throw failure
    }

    /// Returns why a session has ended; `nil` if it has not.
    private func expiry(of session: SupabaseSession, _ person: SupabasePerson) -> String? {
        if let limit = settings.timeBox, now >= session.createdAt + limit { return "" }
        if let limit = settings.inactivity, now >= session.lastUse + limit { return " (Inactivity)" }
        if let limit = settings.lowLevelLimit, person.hasVerifiedFactor, !session.hasSecondFactor,
            now >= session.createdAt + limit
        {
            return " (Low AAL: User Needs MFA Verification)"
        }
        if settings.allowsOneSession, sessions(of: person.id).contains(where: { $0.lastUse > session.lastUse }) {
            return " (Revoked by Newer Login)"
        }
        return nil
    }

    mutating func rotated(
        _ session: SupabaseSession, _ person: SupabasePerson, presented: Int, note: inout Note
    ) throws(SupabaseFailure) -> ServerResponse {
        var session = session
        session.refreshedAt = now
        sessions[session.id] = session
        note.generation = session.counter
        log(session.id, presented, session.counter, "rotated")
        var response = try answer(session, person)
        response.set("Sb-Auth-Refresh-Token-Reuse", "false")
        return response
    }

    static var unknownToken: SupabaseFailure {
        SupabaseFailure(400, .refreshTokenNotFound, "Invalid Refresh Token: Refresh Token Not Found")
    }

    mutating func log(_ session: String, _ presented: Int, _ current: Int, _ outcome: String) {
        refreshes.append(
            DevServer.SupabaseRefresh(session: session, presented: presented, current: current, outcome: outcome))
        if refreshes.count >= 20_000 { refreshes.removeFirst(10_000) }
    }

    /// Ends the session of a request's refresh token, as if it had been used before.
    mutating func spend(tokenOf request: ServerRequest) {
        guard let token = try? SupabaseCall(request).body().string(SupabaseWire.refreshToken) else { return }
        let session = Self.read(counterToken: token)?.session ?? oldTokens[token]?.session
        if let session { sessions[session] = nil }
    }
}
