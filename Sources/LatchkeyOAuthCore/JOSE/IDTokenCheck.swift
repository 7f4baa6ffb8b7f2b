import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyJSON

/// The rules of OpenID Connect Core 1.0 for claims whose signature has been checked.
struct IDTokenCheck {
    typealias Claim = JOSEWire.Claim

    let claims: JSON
    let rules: IDTokenRules

    /// Refuses a payload that names another kind of token, whatever the header says.
    func kind() throws(JOSEError) {
        let type = try text(Claim.type)
        guard type ?? JOSEWire.idTokenType == JOSEWire.idTokenType, claims[Claim.events] == nil else {
            throw JOSEError(.payloadType, "the payload says that this is no ID token")
        }
    }

    /// Checks section 3.1.3.7, steps 2 to 5, and section 12.2.
    func parties() throws(JOSEError) {
        let issuer = try required(text(Claim.issuer), Claim.issuer)
        guard try isExpected(issuer) else { throw JOSEError(.issuer, "the ID token comes from another issuer") }
        let audience = try audience()
        guard !audience.isEmpty else { throw JOSEError(.audience, "the ID token names no audience") }
        guard audience.contains(where: isClient) else {
            throw JOSEError(.audience, "the ID token is for another client")
        }
        try partners(audience)
        let subject = try required(text(Claim.subject), Claim.subject)
        // Core, section 2, wants ASCII, but services use names, which have other letters too.
        guard (1...255).contains(subject.unicodeScalars.count) else {
            throw JOSEError(.subject, "\"sub\" is empty, or longer than 255 characters")
        }
        guard let prior = rules.prior else { return }
        guard issuer.hasSameBytes(as: prior.issuer) else {
            throw JOSEError(.issuerChanged, "the issuer is not that of the sign-in")
        }
        guard subject.hasSameBytes(as: prior.subject) else {
            throw JOSEError(.subjectChanged, "the ID token speaks of another person than at the sign-in")
        }
    }

    /// Checks the audiences beside this client, and `azp`. A refresh may add audiences.
    private func partners(_ audience: [String]) throws(JOSEError) {
        if rules.prior == nil, let other = audience.first(where: { !isClient($0) && !isTrusted($0) }) {
            throw JOSEError(
                .untrustedAudience,
                "it is also for \(Self.shown(other)), which is not among the trusted audiences (`trustedAudiences` of the "
                    + "provider, `--trust-audience` of the tool)")
        }
        let authorizedParty = try text(Claim.authorizedParty)
        // One audience that is written twice is one.
        let isAlone = audience.allSatisfy(isClient) || rules.prior != nil
        guard authorizedParty.map(isClient) ?? isAlone else {
            throw JOSEError(.authorizedParty, "\"azp\" is missing or names another client")
        }
    }

    /// Checks section 3.1.3.7, steps 9 and 10, and `nbf` of RFC 7519 section 4.1.5.
    func times() throws(JOSEError) {
        let leeway = rules.leewaySeconds
        let expires = try required(time(Claim.expires), Claim.expires)
        let issued = try required(time(Claim.issuedAt), Claim.issuedAt)
        let now = rules.now(issuedAt: issued)
        if let notBefore = try time(Claim.notBefore), notBefore > now + leeway {
            throw late(.notYetValid, "the ID token is valid only in", notBefore - now)
        }
        guard issued <= now + leeway else {
            throw late(.issuedInFuture, "the ID token was issued in the future, by", issued - now)
        }
        guard expires > now - leeway else {
            throw late(.expired, "the ID token has expired, by", now - expires)
        }
        guard now - issued <= rules.maximumIssuedAge.inSeconds + leeway else {
            throw late(.issuedTooLongAgo, "the ID token was issued too long ago, by", now - issued)
        }
    }

    /// Checks `nonce`, section 3.1.3.7 step 11 and section 12.2, and `at_hash`, section 3.1.3.8.
    func binding(_ algorithm: SignatureAlgorithm) throws(JOSEError) {
        let nonce = try text(Claim.nonce).map { Secret($0) }
        // A refresh may omit the nonce, but must not change it.
        let expected = if let prior = rules.prior { nonce == nil ? nil : prior.nonce } else { rules.nonce }
        guard nonce == expected || rules.isOfUnknownSignIn else {
            throw JOSEError(.nonce, "\"nonce\" is missing, another, or was not asked for")
        }
        guard let accessToken = rules.accessToken, let hash = try text(Claim.accessTokenHash) else { return }
        let own = TokenHash.leftHalf(of: accessToken, algorithm: algorithm)
        guard constantTimeEqual(Array(hash.utf8), Array(own.utf8)) else {
            throw JOSEError(.accessTokenHash, "\"at_hash\" belongs to another access token")
        }
    }

    /// Checks `acr` and `auth_time`, section 3.1.3.7 steps 12 and 13, and section 12.2.
    func authentication() throws(JOSEError) {
        let acr = try text(Claim.authenticationContext)
        let isEnough = acr.map { acr in rules.requiredACR.contains { $0.hasSameBytes(as: acr) } } ?? false
        guard rules.requiredACR.isEmpty || isEnough else {
            let came = acr.map { "is \(Self.shown($0, "a name that cannot be shown"))" } ?? "is missing"
            throw JOSEError(.authenticationContext, "\"acr\" \(came), and not one of those that were asked for")
        }
        let authenticated = try authenticatedAt()
        if let maxAge = rules.maxAge {
            let authenticated = try required(authenticated, Claim.authenticatedAt)
            let now = try time(Claim.issuedAt).map(rules.now(issuedAt:)) ?? rules.now.timeIntervalSince1970
            let age = now - authenticated
            guard age <= maxAge.inSeconds + rules.leewaySeconds else {
                throw late(.authenticationTime, "the person's proof is older than was asked for; its age is", age)
            }
            guard age >= -rules.leewaySeconds else {
                throw late(.authenticationTime, "the person's proof lies in the future, by", -age)
            }
        }
    }

    /// When the person proved who they are. A refresh proves nothing: where the sign-in has said it, that stays, even if
    /// the service moves `auth_time` at each refresh, as Amazon Cognito and others do.
    private func authenticatedAt() throws(JOSEError) -> Double? {
        let told = try time(Claim.authenticatedAt)
        return rules.prior?.authenticatedAt?.timeIntervalSince1970 ?? told
    }

    /// Whether `name` is this client, compared byte by byte (RFC 7519, section 2: no canonicalization).
    func isClient(_ name: String) -> Bool { name.hasSameBytes(as: rules.clientID) }

    func result() throws(JOSEError) -> IDTokenClaims {
        IDTokenClaims(
            issuer: try required(text(Claim.issuer), Claim.issuer),
            subject: try required(text(Claim.subject), Claim.subject), audience: try audience(),
            expiresAt: Date(timeIntervalSince1970: try required(time(Claim.expires), Claim.expires)),
            issuedAt: Date(timeIntervalSince1970: try required(time(Claim.issuedAt), Claim.issuedAt)),
            authenticatedAt: try authenticatedAt().map(Date.init(timeIntervalSince1970:)),
            nonce: try text(Claim.nonce).map { Secret($0) }, acr: try text(Claim.authenticationContext),
            email: claims[Claim.email]?.string, isEmailVerified: claims[Claim.isEmailVerified] == .bool(true),
            name: claims[Claim.name]?.string, preferredUsername: claims[Claim.preferredUsername]?.string, raw: claims)
    }
}

/// Reads the claims that decide. A wrong type is a refusal; null counts as absent.
extension IDTokenCheck {
    func text(_ name: String) throws(JOSEError) -> String? {
        guard let value = claims[name], value != .null else { return nil }
        guard let text = value.string else { throw JOSEError(.claims, "\"\(name)\" is no string") }
        return text
    }

    /// Reads a NumericDate of RFC 7519 section 2, which may have a fraction, within a million years.
    func time(_ name: String) throws(JOSEError) -> Double? {
        guard let value = claims[name], value != .null else { return nil }
        guard let seconds = value.number, abs(seconds) < 3.2e13 else {
            throw JOSEError(.claims, "\"\(name)\" is no time")
        }
        return seconds
    }

    /// Reads one name or several. An empty list names nobody.
    func audience() throws(JOSEError) -> [String] {
        guard let value = claims[Claim.audience], value != .null else {
            throw JOSEError(.missingClaim, "\"\(Claim.audience)\" is missing")
        }
        if let one = value.string { return [one] }
        guard let elements = value.array, case let names = elements.compactMap(\.string), names.count == elements.count
        else { throw JOSEError(.claims, "\"\(Claim.audience)\" is neither a string nor a list of them") }
        return names
    }

    private func required<Value>(_ value: Value?, _ name: String) throws(JOSEError) -> Value {
        guard let value else { throw JOSEError(.missingClaim, "\"\(name)\" is missing") }
        return value
    }

    func late(_ code: JOSEError.Code, _ what: String, _ seconds: Double) -> JOSEError {
        let difference = Int(seconds.rounded(.up))
        let side = [.issuedInFuture, .notYetValid].contains(code) ? "behind" : "ahead"
        let clock = "if the token is fresh, this machine's clock is \(difference) s \(side)"
        return JOSEError(code, "\(what) \(difference) s; \(clock)", difference: difference)
    }
}
