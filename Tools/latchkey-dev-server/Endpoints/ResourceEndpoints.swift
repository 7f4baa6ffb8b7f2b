import LatchkeyHTTPServer
import LatchkeyJSON

extension DevState {
    /// UserInfo endpoint, OpenID Connect Core section 5.3.
    func userinfo(_ request: ServerRequest, now: Double, note: inout Note) -> ServerResponse {
        guarded(request, now: now, note: &note) { (record, family) throws(OAuthFailure) -> ServerResponse in
            guard record.scopes.contains(DevServerWire.openid) else {
                throw OAuthFailure(.insufficientScope, "The token has no openid scope.", status: 403)
            }
            var claims = personalClaims(userinfoSubject(family.subject), scopes: record.scopes, isWhole: true)
            guard configuration.signsUserInfo else { return .json(JSON.object(claims).serialized()) }
            claims["iss"] = .string(issuer)
            claims["aud"] = .string(family.clientID)
            guard let token = try? signedUserInfo(claims, now: wallClock(now)) else {
                throw OAuthFailure(.serverError, "The claims could not be signed.", status: 500)
            }
            var response = ServerResponse.text(token, status: 200)
            response.set("Content-Type", "application/jwt")
            return response
        }
    }

    /// Answers with a greeting, as an example of a protected resource.
    func resource(_ request: ServerRequest, now: Double, note: inout Note) -> ServerResponse {
        guarded(request, now: now, note: &note) { _, family in
            .json(JSON.object(["hello": .string(family.subject)]).serialized())
        }
    }

    /// Answers for a valid bearer token, and with a challenge otherwise (RFC 6750).
    private func guarded(
        _ request: ServerRequest, now: Double, note: inout Note,
        answer: (AccessRecord, TokenFamily) throws(OAuthFailure) -> ServerResponse
    ) -> ServerResponse {
        guard !request.queryPairs.contains(where: { $0.name == DevServerWire.accessToken }) else {
            note.outcome = ErrorCode.invalidRequest.rawValue
            return OAuthFailure(.invalidRequest, "The token stands in the query.").challenge
        }
        guard request.count(ofField: "Authorization") > 0 else {
            note.outcome = "no_token"
            return OAuthFailure.missingToken
        }
        do throws(OAuthFailure) {
            let (record, family) = try accessToken(of: request, now: now)
            note.client = family.clientID
            return try answer(record, family)
        } catch {
            note.outcome = error.code.rawValue
            return error.challenge
        }
    }

    private func accessToken(
        of request: ServerRequest, now: Double
    ) throws(OAuthFailure) -> (AccessRecord, TokenFamily) {
        let parts = (request.field("Authorization") ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard request.count(ofField: "Authorization") == 1, parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw OAuthFailure(.invalidRequest, "The Authorization field is not one bearer token.")
        }
        guard let record = accessTokens[String(parts[1])], !record.isRevoked, record.expires > now,
            let family = families[record.family], family.isAlive
        else { throw OAuthFailure(.invalidToken, "The token is unknown, expired or revoked.", status: 401) }
        return (record, family)
    }
}
