import Latchkey
import LatchkeyJSON
import LatchkeySupabase
import LatchkeySupabaseAdmin
import Testing

/// One call of the administration: what it sends, and what is made of the answer.
struct Call: Sendable, CustomTestStringConvertible {
    typealias Run = @Sendable (SupabaseAdmin) async throws(AuthError) -> String

    var testDescription: String
    var method: String
    /// With the query.
    var path: String
    /// `nil`: there is none.
    var body: JSON?
    var answer: TransportResponse
    /// What `run` gives.
    var result: String
    /// Runs the call and says what came.
    var run: Run

    init(
        _ name: String, _ method: String, _ path: String, _ body: JSON?, answer: TransportResponse,
        gives result: String,
        _ run: @escaping Run
    ) {
        (testDescription, self.method, self.path, self.body) = (name, method, path, body)
        (self.answer, self.result, self.run) = (answer, result, run)
    }

    /// Whether it may be sent again.
    var isSafe: Bool { method == "GET" || method == "DELETE" }
    var isSignOut: Bool { path.hasPrefix("/logout") }
    /// What it is about may be gone by an earlier try.
    var missing: String? {
        switch (method, path.contains("/factors/")) {
        case ("DELETE", true): "mfa_factor_not_found"
        case ("DELETE", false): "user_not_found"
        default: nil
        }
    }

    private static let id = "7b0b6a4e-6a1c-4d57-9a55-0f5c1f0c2a11"
    private static let factor: JSON = ["id": "f1", "factor_type": "totp", "status": "verified", "friendly_name": "n"]
    private static let personsToken = Secret("a.persons.token")

    private static func link(_ type: String) -> TransportResponse {
        .json(
            user(
                "u1",
                [
                    "action_link": .string("https://x.test/verify?token=\(Desk.canary)"),
                    "email_otp": .string("123456\(Desk.canary)"), "hashed_token": .string("hash\(Desk.canary)"),
                    "verification_type": .string(type), "redirect_to": "app://cb",
                ]))
    }

    private static func said(_ link: SupabaseLink) -> String {
        let secrets = [link.url, link.code, link.tokenHash].allSatisfy { $0.revealText().hasSuffix(Desk.canary) }
        let isClean = !String(decoding: link.user.json.serialized(), as: UTF8.self).contains(Desk.canary)
        return "\(link.type) \(link.redirect) \(link.user.id) \(secrets && isClean)"
    }

    private static func linking(
        _ type: String, _ body: JSON, _ request: SupabaseLinkRequest
    ) -> Call {
        Call(
            "link: \(type)", "POST", "/admin/generate_link", body, answer: link(type),
            gives: "\(type) app://cb u1 true"
        ) { admin throws(AuthError) in said(try await admin.link(request)) }
    }

    static let links: [Call] = [
        linking(
            "signup", ["type": "signup", "email": "a@b.test", "password": "pw", "data": ["n": 1]],
            .signUp(email: "a@b.test", password: Secret("pw"), metadata: ["n": 1])),
        linking("invite", ["type": "invite", "email": "a@b.test"], .invite(email: "a@b.test")),
        linking("magiclink", ["type": "magiclink", "email": "a@b.test"], .magicLink(email: "a@b.test")),
        linking("recovery", ["type": "recovery", "email": "a@b.test"], .recovery(email: "a@b.test")),
        linking(
            "email_change_current",
            ["type": "email_change_current", "email": "a@b.test", "new_email": "c@b.test"],
            .emailChange(from: "a@b.test", to: "c@b.test", confirmedBy: .current)),
        linking(
            "email_change_new", ["type": "email_change_new", "email": "a@b.test", "new_email": "c@b.test"],
            .emailChange(from: "a@b.test", to: "c@b.test", confirmedBy: .new)),
        Call(
            "link with a redirect", "POST", "/admin/generate_link?redirect_to=app%3A%2F%2Fcb",
            ["type": "recovery", "email": "a@b.test"], answer: link("recovery"), gives: "recovery app://cb u1 true"
        ) { admin throws(AuthError) in
            said(try await admin.link(.recovery(email: "a@b.test"), redirect: "app://cb"))
        },
    ]

    static let users: [Call] = [
        Call(
            "list", "GET", "/admin/users?page=1&per_page=2", nil,
            answer: .json(
                ["users": [user("u1"), user("u2", ["is_anonymous": true])], "aud": ""], 200, ["X-Total-Count": "2"]),
            gives: "u1 u2"
        ) { admin throws(AuthError) in
            var (reader, ids) = (admin.users(pageSize: 2).makeAsyncIterator(), [String]())
            while let user = try await reader.next() { ids.append(user.id) }
            return ids.joined(separator: " ")
        },
        Call(
            "get", "GET", "/admin/users/\(id)", nil, answer: .json(user(id, ["new": ["a": 1]])), gives: "\(id) true"
        ) { admin throws(AuthError) in
            let user = try await admin.user(id)
            return "\(user.id) \(user.json["new"]?["a"] == 1)"
        },
        Call(
            "create", "POST", "/admin/users", ["email": "a@b.test", "password": "pw", "email_confirm": true],
            answer: .json(user("u1")), gives: "u1"
        ) { admin throws(AuthError) in
            var details = SupabaseUserDetails(email: "a@b.test", password: Secret("pw"))
            details.confirmsEmail = true
            return try await admin.create(details).id
        },
        Call(
            "create with everything", "POST", "/admin/users",
            [
                "id": .string(id), "phone": "+15550100001", "password_hash": "$2a$10$x", "phone_confirm": true,
                "role": "editor", "user_metadata": ["a": 1], "app_metadata": ["b": .null], "ban_duration": "5401s",
            ],
            answer: .json(user(id)), gives: id
        ) { admin throws(AuthError) in
            var details = SupabaseUserDetails(phone: "+15550100001", metadata: ["a": 1])
            (details.confirmsPhone, details.role, details.appMetadata) = (true, "editor", ["b": .null])
            details.ban = .lasting(.milliseconds(5_400_001))
            return try await admin.create(details, id: id, passwordHash: Secret("$2a$10$x")).id
        },
        Call(
            "update", "PUT", "/admin/users/\(id)", ["ban_duration": "none"], answer: .json(user(id)), gives: id
        ) { admin throws(AuthError) in
            var details = SupabaseUserDetails()
            details.ban = .lifted
            return try await admin.update(id, details).id
        },
        Call("delete", "DELETE", "/admin/users/\(id)", nil, answer: .json([:]), gives: "") { admin throws(AuthError) in
            try await admin.delete(id)
            return ""
        },
        Call(
            "delete softly", "DELETE", "/admin/users/\(id)", ["should_soft_delete": true], answer: .json([:]), gives: ""
        ) { admin throws(AuthError) in
            try await admin.delete(id, softly: true)
            return ""
        },
        Call(
            "invite", "POST", "/invite?redirect_to=app%3A%2F%2Fcb", ["email": "a@b.test", "data": ["n": 1]],
            answer: .json(user("u1", ["invited_at": "2026-01-05T09:59:58Z"])), gives: "u1"
        ) { admin throws(AuthError) in
            try await admin.invite("a@b.test", metadata: ["n": 1], redirect: "app://cb").id
        },
    ]

    static let rest: [Call] = [
        Call(
            "factors", "GET", "/admin/users/\(id)/factors", nil, answer: .json([factor, ["id": 1]]), gives: "f1 true n"
        ) { admin throws(AuthError) in
            try await admin.factors(of: id).map { "\($0.id) \($0.isVerified) \($0.name ?? "")" }.joined()
        },
        Call(
            "delete a factor", "DELETE", "/admin/users/\(id)/factors/f1", nil, answer: .json(factor), gives: ""
        ) { admin throws(AuthError) in
            try await admin.delete(factor: "f1", of: id)
            return ""
        },
        Call(
            "sign out everywhere", "POST", "/logout?scope=global", [:], answer: .text(204, ""), gives: ""
        ) { admin throws(AuthError) in
            try await admin.signOut(personsToken)
            return ""
        },
        Call(
            "sign out of one session", "POST", "/logout?scope=local", [:], answer: .text(204, ""), gives: ""
        ) { admin throws(AuthError) in
            try await admin.signOut(personsToken, scope: .thisSession)
            return ""
        },
        Call(
            "sign out of the others", "POST", "/logout?scope=others", [:], answer: .text(204, ""), gives: ""
        ) { admin throws(AuthError) in
            try await admin.signOut(personsToken, scope: .others)
            return ""
        },
    ]

    static let all = users + links + rest
}
