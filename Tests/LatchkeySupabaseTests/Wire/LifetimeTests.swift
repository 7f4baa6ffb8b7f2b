import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeySupabase

@Suite("How long a Supabase access token is good")
struct LifetimeTests {
    static let ada = "ada@example.test"

    /// By how much the service's clock differs from this device's: right, a day off either way, decades off.
    static let offsets: [Int64] = [0, -86_400, 86_400, -1_000_000_000]

    private func ends(_ token: AccessToken?, _ scene: Scene) throws -> Duration {
        let lifetime = try #require(token?.lifetime)
        let now = scene.clock.now()
        return lifetime.ends(boot: scene.clock.boot, now: now, serverNow: scene.clock.wall()) - now
    }

    @Test(
        "a token is never handed out after its own end, wherever in a second it was made and whatever the clock here shows",
        .law(13),
        arguments: offsets, [Duration.zero, .milliseconds(300), .milliseconds(999)])
    func neverLate(ahead: Int64, into: Duration) async throws {
        let scene = Scene()
        scene.clock.advance(by: into)
        let server = scene.clock.wall().timeIntervalSince1970 + Double(ahead)
        let issued = Int64(server)
        scene.expect(
            "POST", TokenRefreshTests.path, 200,
            session(
                claims: ["iat": .integer(issued), "exp": .integer(issued + 3_600)],
                more: ["expires_at": .integer(issued + 3_600)]))
        let token = try await scene.refresh().sessions?.first?.tokens[.standard]
        let good = try ends(token, scene)
        let real = Duration.seconds(Double(issued + 3_600) - server)
        #expect(good <= real && good >= real - .seconds(1), "good for \(good), the service takes it for \(real)")
    }

    struct Row: Sendable {
        var note: String
        var claims: [String: Int64] = [:]
        var more: [String: Int64] = [:]
        var lasts: Int64
    }

    /// Instants are seconds from when the service made the token; the answer says `expires_in: 3600`.
    static let rows = [
        Row(note: "no end is known", lasts: 3_600),
        Row(note: "a hook shortened it without a word in the answer", claims: ["iat": 0, "exp": 900], lasts: 899),
        Row(
            note: "a hook shortened it, and the answer's end is the former one", claims: ["iat": 0, "exp": 900],
            more: ["expires_at": 3_600], lasts: 899),
        Row(
            note: "the answer's end is the earlier one", claims: ["iat": 0, "exp": 3_600],
            more: ["expires_at": 600], lasts: 599),
        Row(note: "it says more than `expires_in`", claims: ["iat": 0, "exp": 86_400], lasts: 3_600),
        Row(note: "only the answer says it", more: ["expires_at": 3_600], lasts: 3_599),
        Row(note: "it has a second left", claims: ["iat": 0, "exp": 1], lasts: 0),
        Row(note: "made after its end, which cannot be", claims: ["iat": 7_200, "exp": 3_600], lasts: 3_599),
    ]

    @Test("the earlier end counts: of `expires_in`, `expires_at` and the token's own `exp`", arguments: rows)
    func earlier(_ row: Row) async throws {
        for ahead in Self.offsets {
            let scene = Scene()
            let issued = Int64(scene.clock.wall().timeIntervalSince1970) + ahead
            scene.expect(
                "POST", TokenRefreshTests.path, 200,
                session(
                    claims: row.claims.mapValues { .integer(issued + $0) },
                    more: row.more.mapValues { .integer(issued + $0) }))
            let token = try await scene.refresh().sessions?.first?.tokens[.standard]
            #expect(try ends(token, scene) == .seconds(row.lasts), "\(row.note), the service \(ahead) s ahead")
        }
    }

    @Test(
        "an end that is none is ignored",
        arguments: ["soon", true, [], -1, 0, 1e300, .integer(.max)] as [JSON])
    func nonsense(end: JSON) async throws {
        let scene = Scene()
        scene.expect(
            "POST", TokenRefreshTests.path, 200, session(claims: ["exp": end, "iat": end], more: ["expires_at": end]))
        let token = try await scene.refresh().sessions?.first?.tokens[.standard]
        #expect(try ends(token, scene) == .seconds(3_600))
    }

    /// The field with the service's clock, `seconds` after it made the token.
    private func date(_ scene: Scene, ahead: Int64, after seconds: Int64) -> HeaderFields {
        ["Date": HTTPDateText.of(scene.clock.wall().addingTimeInterval(Double(ahead + seconds)))]
    }

    @Test("a link's session that was made long ago is good for what is left of it", arguments: offsets.prefix(3))
    func link(ahead: Int64) async throws {
        let scene = Scene()
        scene.expect("POST", "/otp?redirect_to=app%3A%2F%2Fcb")
        let challenge = try await scene.begin(.signIn(.link(identifier: Self.ada))).challenge()
        let issued = Int64(scene.clock.wall().timeIntervalSince1970) + ahead
        let access = accessToken(["iat": .integer(issued), "exp": .integer(issued + 3_600)])
        scene.expect(
            "GET", "/user", 200, ["id": "u1", "email": .string(Self.ada)],
            header: date(scene, ahead: ahead, after: 3_000))
        let link =
            "app://cb#access_token=\(access)&token_type=bearer&expires_in=3600&expires_at=\(issued + 3_600)"
            + "&refresh_token=r9"
        let grant = try await scene.answer(.redirected(Secret(link)), challenge).grant()
        #expect(try ends(grant.sessions.first?.tokens[.standard], scene) == .seconds(599))
    }

    @Test("a session that waited for a new password is good for what is left of it", arguments: offsets.prefix(3))
    func recovery(ahead: Int64) async throws {
        let scene = Scene()
        scene.expect("POST", "/recover?redirect_to=app%3A%2F%2Fcb")
        let challenge = try await scene.begin(.recover(identifier: Self.ada)).challenge()
        let issued = Int64(scene.clock.wall().timeIntervalSince1970) + ahead
        let claims: [String: JSON] = ["iat": .integer(issued), "exp": .integer(issued + 3_600)]
        scene.expect("POST", "/verify", 200, session(claims: claims, more: ["expires_at": .integer(issued + 3_600)]))
        let password = try await scene.answer(.code(Secret("123456")), challenge).challenge()
        scene.expect("PUT", "/user", 200, ["id": "u1"], header: date(scene, ahead: ahead, after: 3_000))
        let grant = try await scene.answer(.password(Secret("long enough")), password).grant()
        #expect(try ends(grant.sessions.first?.tokens[.standard], scene) == .seconds(599))
    }
}
