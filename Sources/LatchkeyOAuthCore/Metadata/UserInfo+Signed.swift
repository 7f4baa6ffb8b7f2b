public import FoundationEssentials
public import Latchkey
import LatchkeyJSON

/// Signed claims (section 5.3.2), and the statuses of an answer.
extension UserInfo {
    /// Returns the token in an answer of the media type `application/jwt`, not checked; `nil` for plain claims.
    ///
    /// - Throws: As ``judge(_:subject:from:now:)`` for every status but 200, and for a body that is too large.
    public static func signed(
        in response: TransportResponse, from endpoint: String? = nil, now: Date? = nil
    ) throws(AuthError) -> Secret? {
        guard response.status == 200 else { throw refusal(response, endpoint, now) }
        guard response.body.count <= sizeLimit else {
            throw AuthError(
                .untrusted(.malformed), "The userinfo answer has more than \(sizeLimit) bytes.")
        }
        let type = (response.fields["Content-Type"] ?? "").utf8.prefix(64).map {
            (0x41...0x5A).contains($0) ? $0 | 0x20 : $0
        }
        return type.starts(with: "application/jwt".utf8) ? Secret(response.body) : nil
    }

    /// Checks signed claims: the signature, and issuer, audience and times, each if the claims have it.
    ///
    /// - Parameters:
    ///   - token: From ``signed(in:from:now:)``.
    ///   - keys: The issuer's keys.
    ///   - rules: Issuer, client, further audiences, algorithms, clock and leeway. The rest is about ID tokens.
    ///   - subject: The person whom the claims must describe.
    /// - Throws: ``JOSEError``; `subjectChanged` for another person.
    public static func verify(
        _ token: Secret, keys: JSONWebKeySet, rules: IDTokenRules, subject: String
    ) throws(JOSEError) -> UserInfo {
        let signed = try JSONWebSignature.verify(compact: token.reveal(), keys: keys, allowed: rules.algorithms)
        try IDToken.checkType(signed.header)
        let claims = try signed.claims()
        let check = IDTokenCheck(claims: claims, rules: rules)
        try check.answerParties()
        try check.answerTimes()
        guard let found = try? UserInfo(claims) else {
            throw JOSEError(.missingClaim, "\"\(OAuthWire.sub)\" is missing")
        }
        guard found.subject.hasSameBytes(as: subject) else {
            throw JOSEError(.subjectChanged, "the claims speak of another person than the ID token")
        }
        return found
    }

    private static func refusal(
        _ response: TransportResponse, _ endpoint: String?, _ now: Date?
    ) -> AuthError {
        switch response.status {
        case 401 where isOwn(response):
            return AuthError(.signInRequired(.notAccepted), "The userinfo endpoint refused the access token.")
        case 403 where lacksScope(response):
            return AuthError(
                .refused(.scope), "The access token lacks a scope that the userinfo endpoint wants, such as `openid`.")
        case 403 where isOwn(response):
            return AuthError(.refused(.denied), "The userinfo endpoint denied the request.")
        default: return foreign(response, endpoint, now)
        }
    }

    static func foreign(_ response: TransportResponse, _ endpoint: String?, _ now: Date?) -> AuthError {
        AuthError(
            ForeignAnswer(response, from: endpoint),
            retryAfter: now.flatMap { RetryAfter.read(response.fields, now: $0) })
    }

    /// Whether a refusal may be the endpoint's: it challenges for a token, names an error, or says nothing. A gateway
    /// sends a page, JSON of another form, or a challenge for something else.
    private static func isOwn(_ response: TransportResponse) -> Bool {
        let schemes = AuthenticationChallenge.all(in: response.fields).map(\.scheme)
        if schemes.contains(where: { ["bearer", "dpop"].contains($0) }) { return true }
        guard schemes.isEmpty else { return false }
        if let body = try? JSON.parse(response.body) {
            return body.object?.isEmpty == true || ErrorCodeWire.code(in: body, TokenAnswer.errorMembers) != nil
        }
        return response.body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } != UInt8(ascii: "<")
    }

    /// Whether a refusal is about the scope. Spring Authorization Server says it in the body alone.
    private static func lacksScope(_ response: TransportResponse) -> Bool {
        let challenges = AuthenticationChallenge.all(in: response.fields).map { $0.parameters[OAuthWire.error] }
        return (challenges + [TokenAnswer.errorCode(in: response.body)])
            .contains(OAuthErrorCode.insufficientScope.rawValue)
    }
}
