public import FoundationEssentials
public import Latchkey
import LatchkeyJSON

/// Signed claims (section 5.3.2), and the statuses of an answer.
extension UserInfo {
    /// Returns the token in an answer of the media type `application/jwt`, not checked; `nil` for plain claims.
    ///
    /// - Throws: As ``judge(_:subject:now:)`` for every status but 200, and for a body that is too large.
    public static func signed(
        in response: TransportResponse, now: Date? = nil
    ) throws(AuthError) -> Secret? {
        guard response.status == 200 else { throw refusal(response, now) }
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
    ///   - token: From ``signed(in:now:)``.
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

    private static func refusal(_ response: TransportResponse, _ now: Date?) -> AuthError {
        let rest = now.flatMap { RetryAfter.read(response.fields, now: $0) }
        switch response.status {
        case 401:
            return AuthError(.signInRequired(.notAccepted), "The userinfo endpoint refused the access token.")
        case 403 where lacksScope(response):
            return AuthError(
                .refused(.scope), "The access token lacks a scope that the userinfo endpoint wants, such as `openid`.")
        case 403:
            return AuthError(.refused(.denied), "The userinfo endpoint denied the request.")
        default:
            return AuthError(
                response.status == 429 ? .rateLimited : .serviceTrouble,
                "The userinfo endpoint answered HTTP \(response.status).", retryAfter: rest)
        }
    }

    private static func lacksScope(_ response: TransportResponse) -> Bool {
        AuthenticationChallenge.all(in: response.fields).contains { challenge in
            challenge.parameters[OAuthWire.error] == OAuthErrorCode.insufficientScope.rawValue
        }
    }
}
