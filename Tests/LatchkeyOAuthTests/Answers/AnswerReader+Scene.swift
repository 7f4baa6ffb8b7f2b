import Foundation
import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore
import LatchkeyTesting

@testable import LatchkeyOAuth

/// The client that asked, as far as an answer and its recording show it.
extension AnswerReader {
    /// The authorization request that the answer belongs to.
    var transaction: AuthorizationTransaction {
        let sent = FormEncoding.decode(WebAddress(answer.appRedirect ?? answer.url)?.query ?? "")
        let names = answer.place == .keys || verifiesIDToken ? ["openid"] : ["scope"]
        let nonce = (answer.idToken?.claims["nonce"] as? String).map { Secret($0) }
        let state = answer.place == .redirect ? sent?["state"] ?? "state" : "state"
        return AuthorizationTransaction(
            state: Secret(state), nonce: answer.place == .keys ? Secret("nonce") : verifiesIDToken ? nonce : nil,
            verifier: Secret(answer.form["code_verifier"] ?? "verifier"),
            redirect: answer.appRedirect.map { String($0.prefix { $0 != "?" && $0 != "#" }) } ?? Self.redirect,
            issuer: issuer ?? sent?["iss"] ?? "", client: answer.clientID, scopes: names,
            createdAt: Date(timeIntervalSince1970: answer.at), namesIssuer: false)
    }

    /// Whether the answer has an ID token that the recorded keys can check.
    var verifiesIDToken: Bool {
        guard let token = answer.idToken, let issuer else { return false }
        let key = token.head["kid"] as? String
        return token.claims["iss"] as? String == issuer && (key.map(recording.keyNames.contains) ?? true)
    }

    var issuer: String? { recording.issuer(of: answer) }

    var provider: OAuthProvider {
        var endpoints = OAuthEndpoints(authorization: "http://127.0.0.1:1/authorize", token: "http://127.0.0.1:1/token")
        let url = String(answer.url.prefix { $0 != "?" && $0 != "#" })
        switch answer.place {
        case .code, .refresh, .client, .poll: endpoints.token = url
        case .revocation: endpoints.revocation = url
        case .device: endpoints.device = url
        case .userinfo: endpoints.userinfo = url
        case .keys: endpoints.keys = url
        case .document, .redirect, .api: break
        }
        var provider = OAuthProvider(endpoints, clientID: answer.clientID)
        if let issuer, answer.place == .keys || verifiesIDToken || answer.place == .userinfo {
            provider.issuer = issuer
        } else if answer.place == .keys {
            provider.issuer = base
        }
        if let basic = answer.basic {
            provider.authentication = .basic(Secret(basic.secret.isEmpty ? "empty" : basic.secret))
        } else if let secret = answer.form["client_secret"], !secret.isEmpty {
            provider.authentication = .post(Secret(secret))
        }
        return provider
    }

    /// A session that has been refreshed before, with the token that was sent.
    var credential: Credential {
        let sent = answer.form["refresh_token"] ?? answer.form["token"] ?? ""
        var session = AuthSession(
            id: AuthSession.ID("s"), account: AccountID(subject: "u", of: provider.binding),
            tokens: [.standard: AccessToken(Secret("earlier-access-token"))])
        // What a refresh compares its ID token with.
        let kept = (answer.idToken?.claims ?? [:]).filter { ["iss", "sub", "aud"].contains($0.key) }
        if verifiesIDToken, let bytes = try? JSONSerialization.data(withJSONObject: kept),
            let claims = try? JSON.parse(Array(bytes))
        {
            session.state = .object(["claims": claims])
        }
        return Credential(
            id: Credential.ID("c"), binding: provider.binding,
            refreshToken: Secret(sent.isEmpty ? "a-refresh-token" : sent), sessions: [session],
            state: CredentialState(scopes: ["scope"], resources: []).json)
    }

    /// The address that a document's address was built from.
    var base: String {
        for name in ["openid-configuration", "oauth-authorization-server"] {
            let parts = answer.path.components(separatedBy: "/.well-known/\(name)")
            if parts.count == 2 { return parts[0] + parts[1] }
        }
        return WebAddress(answer.url)?.origin ?? answer.url
    }

    var context: ProviderContext {
        let clock = ManualClock(wall: Date(timeIntervalSince1970: answer.at))
        let url = String(answer.url.prefix { $0 != "?" && $0 != "#" })
        var routes: [String: TransportResponse?] = [:]
        if let issuer, let document = recording.documents[issuer], let places = try? Discovery.addresses(of: issuer) {
            routes[places[0]] = document
            let keys = (try? JSON.parse(document.body))?["jwks_uri"]?.string
            if let keys, let set = recording.keys { routes[keys] = TransportResponse(status: 200, body: set) }
        }
        if answer.place == .keys {
            routes["http://127.0.0.1:1/token"] = TransportResponse(status: 200, body: Array(Self.unknownKey.utf8))
            if issuer == nil, let places = try? Discovery.addresses(of: base) {
                let document = "{\"issuer\":\"\(base)\",\"token_endpoint\":\"\(base)/token\"}"
                routes[places[0]] = TransportResponse(status: 200, body: Array(document.utf8))
            }
        }
        if answer.place == .document, let places = try? Discovery.addresses(of: base) {
            routes[places[0]] = answer.response
        }
        routes[url] = answer.response
        return ProviderContext(
            world: .testing(clock: clock), transport: AnswerTransport(routes: routes), cache: KeepingCache())
    }

    /// Tokens whose ID token names a key that nobody has: where the keys can be read, that is what is wrong.
    static let unknownKey = """
        {"access_token":"a","token_type":"Bearer","id_token":"eyJhbGciOiJSUzI1NiIsImtpZCI6Im5vYm9keSJ9.e30.AAAA"}
        """
}

/// Answers by address alone; an address without an answer has a lost one.
private struct AnswerTransport: HTTPTransport {
    let routes: [String: TransportResponse?]

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        guard let route = routes[String(request.url.prefix { $0 != "?" })] else {
            return TransportResponse(status: 404)
        }
        guard let route else { throw TransportError(.timedOut, wasSent: true) }
        return route
    }
}
