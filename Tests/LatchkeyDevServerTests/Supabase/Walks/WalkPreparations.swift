import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON
import LatchkeySystem
import RecordedGoTrue
import Testing

@testable import LatchkeyDevServer

/// What had happened before a recorded request: accounts, sessions elsewhere, mails, the administrator's deeds.
enum WalkPreparations {
    typealias Preparation = @Sendable (Walk, RecordedExchange) async throws -> Void

    static let all: [String: Preparation] = sessions.merging(accounts) { $1 }.merging(flows) { $1 }

    private static func user(_ email: String) -> Preparation { { walk, _ in walk.harness.user(email) } }

    private static let accounts: [String: Preparation] = [
        "password-email-not-confirmed": { walk, exchange in
            _ = try await walk.harness.send("POST", "/signup", exchange.body)
        },
        "signup-already-registered-fake-user": { _, _ in },
        "otp-verify-code-expired": { walk, exchange in
            walk.set(exchange.port, at: exchange.at - 1.5)
            _ = try await walk.harness.post("/otp", ["email": "exp.1dd09e@example.test"])
        },
        "link-expired-implicit": { walk, exchange in
            walk.set(exchange.port, at: exchange.at - 2)
            _ = try await walk.harness.post("/magiclink", ["email": "exp@example.test"])
        },
        "resend-signup": { walk, _ in
            _ = try await walk.harness.post(
                "/signup", ["email": "resend.9974ab@example.test", "password": "correct horse 42 staple"])
        },
        "magiclink-send": user("magic.ab7677@example.test"),
        "pkce-otp-send": user("magic.ab7677@example.test"),
        "captcha-missing": user("ada.b99264@example.test"),
        "recover-send": { walk, exchange in
            try await walk.begin(
                sessionOf: "recover-other-session-after-password-change", email: "rec.947ab5@example.test",
                before: exchange, ago: 1)
        },
        "reauthenticate-needed": { walk, _ in walk.adjust = { $0.reauthenticationAge = 0 } },
        "mail-quota-of-the-project-429": { walk, _ in
            walk.harness.user("quota.69d49f@example.test")
            for _ in 0..<2 { _ = try await walk.harness.post("/recover", ["email": "quota.69d49f@example.test"]) }
        },
        "verify-ip-limit-429": repeated(30),
        "refresh-ip-limit-429": repeated(30),
        "anonymous-ip-limit-429": repeated(2),
        "invite-link-head-request": { walk, exchange in
            let answer = try await walk.harness.admin(
                "POST", "/invite?redirect_to=latchkey-demo://cb", ["email": "inv.0705b5@example.test"])
            try #require(answer.status == 200, "\(answer.text)")
        },
    ]

    private static func repeated(_ count: Int) -> Preparation {
        { walk, exchange in
            let field = try #require(exchange.sentFields.first { $0.name == "X-Real-Ip" })
            for _ in 0..<count {
                _ = try await walk.harness.send(exchange.method, exchange.target, exchange.body, fields: [field])
            }
        }
    }

    private static let sessions: [String: Preparation] = [
        "logout-others": { walk, exchange in
            try await walk.begin(
                sessionOf: "logout-others-the-other-refresh-token", email: "out.34161e@example.test",
                before: exchange, ago: 1)
        },
        "logout-global-default-scope-empty-body": { walk, exchange in
            try await walk.begin(
                sessionOf: "logout-global-the-other-refresh-token", email: "out.34161e@example.test",
                before: exchange, ago: 0.1)
        },
        "mfa-enroll-totp": { walk, exchange in
            try await walk.begin(
                sessionOf: "mfa-session-elsewhere-is-gone-after-verify", email: "mfa.7df824@example.test",
                before: exchange, ago: 1)
        },
        "mfa-verify-two-seconds-after-sign-in": { walk, exchange in
            let claims = try #require(exchange.bearer.flatMap(RecordedExchange.claims))
            let session = try #require(claims["session_id"]?.string)
            try await walk.begin(
                session, user: claims["sub"]?.string, email: "amr.4a6d24@example.test", port: exchange.port,
                at: 1_795_229_282.1)
            let bearer = try #require(walk.accessTokens[session])
            walk.set(exchange.port, at: exchange.at - 0.1)
            let factor = try await walk.harness.post("/factors", ["factor_type": "totp"], bearer: bearer)
            walk.secrets.append(try #require(factor.json["totp"]?["secret"]?.string))
            let id = try #require(factor.json["id"]?.string)
            let challenge = try await walk.harness.post("/factors/\(id)/challenge", [:], bearer: bearer)
            walk.own[String(exchange.target.split(separator: "/")[1])] = id
            walk.own[try #require(exchange.body?["challenge_id"]?.string)] = challenge.json["id"]?.string
        },
        "v2-after-logout-local": { walk, exchange in
            let session = try await begun(walk, exchange, email: "lo.1@example.test")
            _ = try await walk.harness.post("/logout?scope=local", [:], bearer: walk.accessTokens[session])
        },
        "v2-after-global-logout-from-another-device": { walk, exchange in
            _ = try await begun(walk, exchange, email: "lo.2@example.test")
            let other = try await walk.harness.signIn("lo.2@example.test")
            _ = try await walk.harness.post("/logout", [:], bearer: other.accessToken)
        },
        "v2-after-admin-user-deletion": { walk, exchange in
            _ = try await begun(walk, exchange, email: "del.1@example.test")
            try await admin(walk, "DELETE", "del.1@example.test", [:])
        },
        "v2-after-admin-soft-deletion": { walk, exchange in
            _ = try await begun(walk, exchange, email: "del.2@example.test")
            try await admin(walk, "DELETE", "del.2@example.test", ["should_soft_delete": true])
        },
        "v2-banned-user": { walk, exchange in
            _ = try await begun(walk, exchange, email: "ban.0840d5@example.test")
            try await admin(walk, "PUT", "ban.0840d5@example.test", ["ban_duration": "24h"])
        },
        "v2-refresh-works-again-after-the-ban-ends": { walk, _ in
            try await admin(walk, "PUT", "ban.0840d5@example.test", ["ban_duration": "none"])
        },
        "v2-after-password-change-on-another-device": { walk, exchange in
            _ = try await begun(walk, exchange, email: "pw.cdc4c6@example.test")
            let name = "v2-session-that-changed-the-password-goes-on"
            try await walk.begin(sessionOf: name, email: "pw.cdc4c6@example.test", before: exchange, ago: 0.5)
            let bearer = walk.accessTokens[try walk.ownSession(of: name)]
            let answer = try await walk.harness.send("PUT", "/user", ["password": "other horse 1"], bearer: bearer)
            try #require(answer.status == 200)
        },
        "single-session-newer-login": { walk, exchange in
            _ = try await begun(walk, exchange, email: "sp.19911d@example.test", ago: 3)
            walk.set(exchange.port, at: exchange.at - 2)
            _ = try await walk.harness.signIn("sp.19911d@example.test")
        },
        "timebox-over": { walk, exchange in
            _ = try await begun(walk, exchange, email: "tb@example.test", ago: 4)
        },
    ]

    /// Begins the session whose refresh token a request holds.
    private static func begun(
        _ walk: Walk, _ exchange: RecordedExchange, email: String, ago: Double = 1
    ) async throws -> String {
        try await walk.begin(sessionOf: exchange.name, email: email, before: exchange, ago: ago)
        return try walk.ownSession(of: exchange.name)
    }

    private static func admin(_ walk: Walk, _ method: String, _ email: String, _ body: JSON) async throws {
        let id = try #require(walk.harness.server.state.withLock { $0.supabase.person(email: email)?.id })
        let answer = try await walk.harness.admin(method, "/users/\(id)", body)
        try #require(answer.status == 200, "\(answer.text)")
    }

    private static let flows: [String: Preparation] = [
        "callback-provider-says-no-pkce": { walk, exchange in
            let begun = try walk.exchange("authorize-keycloak-pkce-302").target
            let answer = try await walk.harness.send("GET", begun)
            try bind(walk, exchange, address: try #require(answer.field("Location")))
        },
        "identities-link-callback-with-code": { walk, exchange in
            let begun = try walk.exchange("identities-authorize-skip-http-redirect")
            let target = begun.target.split(separator: "github").joined(separator: "keycloak")
            let session = try #require(begun.bearer.flatMap { RecordedExchange.claims($0)?["session_id"]?.string })
            let answer = try await walk.harness.send(
                "GET", target + "&login_hint=ident.5d9150%40example.test", bearer: walk.accessTokens[session])
            try bind(walk, exchange, address: try #require(answer.json["url"]?.string))
        },
        "id-token-ok-with-nonce": { walk, exchange in
            walk.set(exchange.port, at: exchange.at - 415)
            let token = walk.harness.server.idToken([
                "sub": "idp|n1", "email": "idt.784bae@example.test", "email_verified": true, "name": "Idp User",
            ])
            let answer = try await walk.harness.post(
                "/token?grant_type=id_token", ["provider": "keycloak", "id_token": .string(try #require(token))])
            try #require(answer.status == 200, "\(answer.text)")
        },
    ]

    /// Makes a visit to the built-in provider stand for the one that a recorded callback ends.
    private static func bind(_ walk: Walk, _ exchange: RecordedExchange, address: String) throws {
        func state(_ address: some StringProtocol) throws -> String {
            let query = try #require(address.split(separator: "?", maxSplits: 1).last)
            let pairs = try #require(FormPairs.decode(Array(query.utf8)))
            return try #require(pairs.first { $0.name == "state" }?.value)
        }
        walk.noteVisit(address)
        walk.own[try state(exchange.target)] = try state(address)
    }

    /// An ID token of the own issuer with the claims of a recorded one.
    static func idToken(like recorded: String, walk: Walk, isBroken: Bool) throws -> String {
        var claims = try #require(RecordedExchange.claims(recorded)?.object)
        for name in ["iss", "aud", "iat", "exp"] { claims[name] = nil }
        let token = try #require(walk.harness.server.idToken(claims))
        guard isBroken, claims["nonce"] == nil else { return token }
        return token.dropLast(8) + "AAAAAAAA"
    }
}
