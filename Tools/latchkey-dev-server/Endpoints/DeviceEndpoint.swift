import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

extension DevState {
    /// Device authorization endpoint, RFC 8628 section 3.1.
    mutating func authorizeDevice(
        _ request: ServerRequest, now: Double, note: inout Note
    ) throws(OAuthFailure) -> ServerResponse {
        note.grant = DevServer.Grant.deviceCode.rawValue
        let parameters = try Parameters(form: request)
        let client = try authenticate(request, parameters, note: &note)
        guard client.grants.contains(.deviceCode) else {
            throw OAuthFailure(.unauthorizedClient, "The client may not use device codes.")
        }
        try parameters.checkResources(issuer: issuer)
        let scopes = try parameters.scopes(allowed: client.scopes) ?? [DevServerWire.openid]
        let (code, userCode) = (Self.random("ddc_"), Self.newUserCode())
        var record = DeviceRecord(
            clientID: client.id, scopes: scopes, userCode: userCode, began: now, agent: request.field("User-Agent"),
            expires: now + Double(configuration.deviceLifetime), interval: configuration.deviceInterval)
        record.challenge = try parameters.deviceChallenge()
        if configuration.autoApprove {
            record.stage = .approved(subject: configuration.users[0].subject, authTime: wallClock(now))
        }
        devices[code] = record
        userCodes[Self.normalized(userCode)] = code
        let page = issuer + DevServer.Endpoint.device.path
        let document = JSON.object([
            DevServerWire.deviceCode: .string(code),
            DevServerWire.userCode: .string(userCode),
            DevServerWire.verificationURI: .string(page),
            DevServerWire.verificationURIComplete: .string("\(page)?\(DevServerWire.userCode)=\(userCode)"),
            DevServerWire.expiresIn: .integer(Int64(configuration.deviceLifetime)),
            DevServerWire.interval: .integer(Int64(configuration.deviceInterval)),
        ])
        return .json(document.serialized())
    }

    /// Answers a poll, RFC 8628 section 3.5. Each early poll adds five seconds to the interval.
    mutating func poll(
        _ parameters: Parameters, _ client: DevServer.Client, now: Double
    ) throws(OAuthFailure) -> ServerResponse {
        let code = try parameters.required(DevServerWire.deviceCode)
        guard var record = devices[code], record.clientID == client.id else { throw .grant }
        defer { devices[code] = record }
        switch record.stage {
        case .closed: throw .grant
        case .redeemed(let family):
            kill(family: family)
            throw .grant
        case .pending, .approved, .denied: break
        }
        guard record.expires > now else { throw OAuthFailure(.expiredToken, "The device code expired.") }
        let last = record.lastPoll
        record.lastPoll = now
        // Two clocks may differ by up to a quarter of a second over one wait.
        if let last, now - last + 0.25 < Double(record.interval) {
            record.interval += 5
            throw OAuthFailure(.slowDown, "The device polls too often.")
        }
        switch record.stage {
        case .approved(let subject, let authTime):
            guard record.isProven(by: parameters[DevServerWire.codeVerifier]) else { throw .grant }
            let family = newFamily(
                TokenFamily(clientID: client.id, subject: subject, scopes: record.scopes, authTime: authTime))
            record.stage = .redeemed(family: family)
            return try issue(
                family, scopes: record.scopes, nonce: nil,
                refreshToken: firstRefreshToken(family, client, now: now), now: now)
        case .denied:
            record.stage = .closed
            throw OAuthFailure(.accessDenied, "The person said no.")
        case .pending, .redeemed, .closed:
            throw OAuthFailure(.authorizationPending, "Nobody has decided yet.")
        }
    }

    /// Approves or denies the device that shows `userCode`; `false` if no device waits with that code.
    mutating func decideDevice(_ userCode: String, user: DevServer.User?, now: Double) -> Bool {
        guard let code = waitingDevice(userCode, now: now) else { return false }
        let time = wallClock(now)
        devices[code]?.stage = user.map { .approved(subject: $0.subject, authTime: time) } ?? .denied
        return true
    }

    /// Finds the device code that waits under `userCode`, typed in upper or lower case, with or without hyphen.
    func waitingDevice(_ userCode: String, now: Double) -> String? {
        guard let code = userCodes[Self.normalized(userCode)], let record = devices[code], record.expires > now,
            case .pending = record.stage
        else { return nil }
        return code
    }

    private static func normalized(_ userCode: String) -> String {
        userCode.uppercased().filter { $0.isASCII && $0.isLetter }
    }

    /// Returns eight consonants, as RFC 8628 section 6.1 advises: no words, no look-alikes.
    private static func newUserCode() -> String {
        let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
        var code = ""
        while code.count < 8 {
            for byte in SecureRandom.bytes(16) where byte < 240 && code.count < 8 {
                code.append(letters[Int(byte) % letters.count])
            }
        }
        return "\(code.prefix(4))-\(code.suffix(4))"
    }
}

extension Parameters {
    /// Reads the challenge of a proof key, which a device may send (RFC 7636 knows only the method S256 here).
    fileprivate func deviceChallenge() throws(OAuthFailure) -> String? {
        guard let challenge = self[DevServerWire.codeChallenge] else { return nil }
        guard self[DevServerWire.codeChallengeMethod] == "S256", challenge.utf8.count == 43 else {
            throw OAuthFailure(.invalidRequest, "The code_challenge_method is not S256.")
        }
        return challenge
    }
}

extension DeviceRecord {
    /// Whether a poll's verifier fits the challenge; a device without one needs none.
    fileprivate func isProven(by verifier: String?) -> Bool {
        guard let challenge else { return true }
        let found = Base64URL.encode(Hash.digest(Array((verifier ?? "").utf8)))
        return constantTimeEqual(Array(found.utf8), Array(challenge.utf8))
    }
}
