import LatchkeyDevServer
import LatchkeyHTTPServer
import LatchkeyJSON
import Testing

@Suite("Refresh and revocation")
struct RefreshTests {
    @Test("A refresh rotates the token, and its ID token has no nonce and the old sign-in time")
    func rotates() async throws {
        let harness = try Harness()
        let first = try await harness.signIn()
        harness.advance(100)
        let second = try await harness.refresh(first.refreshToken)
        #expect(second.status == 200)
        #expect(second.refreshToken != first.refreshToken && !second.refreshToken.isEmpty)
        #expect(second.accessToken != first.accessToken)
        let token = try second.idToken(verifiedBy: try await harness.get("/jwks").json)
        #expect(token.claims["nonce"] == nil)
        #expect(token.claims["auth_time"] == .integer(Int64(Harness.start)))
        #expect(token.claims["iat"] == .integer(Int64(Harness.start) + 100))
        #expect(try await harness.isAccepted(first.accessToken))
        #expect(try await harness.refresh(second.refreshToken).status == 200)
    }

    @Test("A token used twice kills its family: newest refresh token and every access token")
    func reuse() async throws {
        let harness = try Harness()
        let other = try await harness.signIn()
        let first = try await harness.signIn()
        let second = try await harness.refresh(first.refreshToken)
        #expect(try await harness.refresh(first.refreshToken).error == "invalid_grant")
        #expect(try await harness.refresh(second.refreshToken).error == "invalid_grant")
        #expect(try await !harness.isAccepted(first.accessToken))
        #expect(try await !harness.isAccepted(second.accessToken))
        #expect(try await harness.isAccepted(other.accessToken))
        #expect(try await harness.refresh(other.refreshToken).status == 200)
    }

    @Test(
        "What the server holds of a token: its place, and whether it would be taken",
        arguments: [
            DevServer.Rotation.strict, .graceSameSuccessor, .graceNewSuccessor,
        ])
    func standing(rotation: DevServer.Rotation) async throws {
        let harness = try Harness { $0.rotation = rotation }
        func held(_ token: String) -> (Int, Int, Bool)? {
            harness.server.standing(ofRefreshToken: token).map { ($0.family, $0.generation, $0.isAccepted) }
        }
        let first = try await harness.signIn().refreshToken
        #expect(try #require(held(first)) == (1, 0, true))
        let second = try await harness.refresh(first).refreshToken
        #expect(try #require(held(first)) == (1, 0, rotation != .strict))
        #expect(try #require(held(second)) == (1, 1, true))
        _ = try await harness.refresh(second)
        #expect(try #require(held(first)) == (1, 0, rotation == .graceNewSuccessor))
        let told = try #require(harness.server.log().last)
        #expect(told.generation == 2 && harness.server.standing(ofRefreshToken: first)?.sequence == told.sequence)
        harness.server.revoke(subject: "user-ada")
        #expect(try #require(held(second)) == (1, 1, false))
        #expect(held("drt_nobody") == nil)
    }

    @Test("Eight uses at once: one answer, and even that is dead")
    func race() async throws {
        let harness = try Harness()
        let token = try await harness.signIn().refreshToken
        let answers = try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let answer = try await harness.refresh(token)
                    return (answer.status, answer.accessToken)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let winners = answers.filter { $0.0 == 200 }
        #expect(winners.count == 1)
        #expect(try await !harness.isAccepted(winners.first?.1 ?? ""))
    }

    @Test("With grace, an old token gives the same successor until that is used or the grace is over")
    func sameSuccessor() async throws {
        let harness = try Harness { $0.rotation = .graceSameSuccessor }
        let first = try await harness.signIn().refreshToken
        let second = try await harness.refresh(first)
        harness.advance(10)
        let again = try await harness.refresh(first)
        #expect(again.refreshToken == second.refreshToken)
        #expect(again.accessToken != second.accessToken)
        let third = try await harness.refresh(second.refreshToken)
        #expect(third.status == 200)
        #expect(try await harness.refresh(first).error == "invalid_grant")
        #expect(try await harness.refresh(third.refreshToken).error == "invalid_grant")
    }

    @Test("With the other grace, an old token gives further successors, all alive, until the grace is over")
    func newSuccessor() async throws {
        let harness = try Harness { $0.rotation = .graceNewSuccessor }
        let first = try await harness.signIn().refreshToken
        let second = try await harness.refresh(first)
        let third = try await harness.refresh(first)
        #expect(second.refreshToken != third.refreshToken)
        let fourth = try await harness.refresh(second.refreshToken)
        #expect(try await harness.refresh(third.refreshToken).status == 200)
        harness.advance(10.1)
        #expect(try await harness.refresh(first).error == "invalid_grant")
        #expect(try await harness.refresh(fourth.refreshToken).error == "invalid_grant")
    }

    @Test("Without rotation the answer brings no refresh token, and the old one goes on")
    func noRotation() async throws {
        let harness = try Harness { $0.rotation = .none }
        let token = try await harness.signIn().refreshToken
        for _ in 0..<3 {
            let answer = try await harness.refresh(token)
            #expect(answer.status == 200)
            #expect(answer.json["refresh_token"] == nil)
        }
    }

    static let refusals = [
        Row("no token", ["refresh_token": nil], "invalid_request"),
        Row("an unknown token", ["refresh_token": "drt_x"], "invalid_grant"),
        Row("another client", ["client_id": "dev-device"], "invalid_grant"),
        Row("no client", ["client_id": nil], "invalid_request"),
        Row("a wider scope", ["scope": "openid read"], "invalid_scope"),
        Row("an unknown resource", ["resource": "https://other.example/"], "invalid_target"),
        Row("no grant type", ["grant_type": nil], "invalid_request"),
    ]

    @Test("A request that is refused for its form spends nothing", arguments: refusals)
    func refusal(row: Row) async throws {
        let harness = try Harness()
        let token = try await harness.signIn().refreshToken
        #expect(try await harness.refresh(token, row.changes).error == row.error)
        #expect(try await harness.refresh(token).status == 200)
    }

    @Test("A narrower scope narrows one access token, not the grant")
    func narrower() async throws {
        let harness = try Harness()
        let first = try await harness.signIn()
        let second = try await harness.refresh(first.refreshToken, ["scope": "email"])
        #expect(second.json["scope"] == .string("email"))
        #expect(second.json["id_token"] == nil)
        let third = try await harness.refresh(second.refreshToken)
        #expect(third.json["scope"] == .string("openid profile email offline_access"))
    }

    @Test("A refresh token is refused after its life")
    func expired() async throws {
        let harness = try Harness { $0.refreshTokenLifetime = 100 }
        let first = try await harness.signIn()
        harness.advance(99)
        let second = try await harness.refresh(first.refreshToken)
        harness.advance(100)
        #expect(try await harness.refresh(second.refreshToken).error == "invalid_grant")
    }

    @Test("Revoking a refresh token kills its family, revoking an access token only that")
    func revoke() async throws {
        let harness = try Harness()
        let first = try await harness.signIn()
        let access: Harness.Pairs = [("client_id", "dev-native"), ("token", first.accessToken)]
        #expect(try await harness.post("/revoke", access).status == 200)
        #expect(try await !harness.isAccepted(first.accessToken))
        let second = try await harness.refresh(first.refreshToken)
        #expect(second.status == 200)
        let refresh: Harness.Pairs = [("client_id", "dev-native"), ("token", second.refreshToken)]
        #expect(try await harness.post("/revoke", refresh + [("token_type_hint", "access_token")]).status == 200)
        #expect(try await !harness.isAccepted(second.accessToken))
        #expect(try await harness.refresh(second.refreshToken).error == "invalid_grant")
        #expect(try await harness.post("/revoke", refresh).status == 200)
    }

    @Test("Revocation answers 200 for an unknown token, and refuses what is malformed or foreign")
    func revokeRefusals() async throws {
        let harness = try Harness()
        let token = try await harness.signIn().refreshToken
        let table: [(Harness.Pairs, Int, String?)] = [
            ([("client_id", "dev-native"), ("token", "nothing")], 200, nil),
            ([("client_id", "dev-native")], 400, "invalid_request"),
            ([("token", token)], 400, "invalid_request"),
            ([("client_id", "nobody"), ("token", token)], 401, "invalid_client"),
            ([("client_id", "dev-device"), ("token", token)], 400, "invalid_grant"),
            ([("client_id", "dev-native"), ("token", token), ("token", token)], 400, "invalid_request"),
        ]
        for (form, status, error) in table {
            let answer = try await harness.post("/revoke", form)
            #expect(answer.status == status)
            #expect(answer.error == error)
        }
        #expect(try await harness.refresh(token).status == 200)
    }

    @Test("Bearer tokens that are missing, malformed, doubled, in the query or unknown are told apart")
    func bearer() async throws {
        let harness = try Harness()
        let token = try await harness.signIn().accessToken
        let table: [(Harness.Pairs, Int, String?)] = [
            ([], 401, nil), ([("Authorization", "Bearer unknown")], 401, "invalid_token"),
            ([("Authorization", "Bearer")], 400, "invalid_request"),
            ([("Authorization", "Basic \(token)")], 400, "invalid_request"),
            ([("Authorization", "Bearer  \(token)")], 400, "invalid_request"),
            ([("Authorization", "Bearer \(token)"), ("Authorization", "Bearer \(token)")], 400, "invalid_request"),
        ]
        for path in ["/userinfo", "/resource"] {
            for (fields, status, error) in table {
                let answer = try await harness.send("GET", path, fields: fields)
                #expect(answer.status == status)
                let challenge = try #require(answer.field("WWW-Authenticate"))
                #expect(challenge.hasPrefix("Bearer realm=") && challenge.contains("error=") == (error != nil))
                if let error { #expect(challenge.contains("error=\"\(error)\"")) }
                #expect(!challenge.contains(token))
            }
            #expect(try await harness.get("\(path)?access_token=\(token)").status == 400)
        }
        let lower = try await harness.send("GET", "/resource", fields: [("authorization", "bearer \(token)")])
        #expect(lower.status == 200)
    }
}
