import Latchkey
import LatchkeyDevServer
import LatchkeyTesting
import Proofs
import Testing

/// Refreshing at a service that attacks, over real sockets.
@Suite struct HostileRefreshTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var attack: DevServer.Attack
        var outcome: String
        /// What the next process gets when the service is honest again.
        var after: String
        var testDescription: String { attack.rawValue }

        /// The answer is dropped, but for its refresh token: the one that was sent is spent.
        static func dropped(_ attack: DevServer.Attack, _ outcome: String) -> Row {
            Row(attack: attack, outcome: outcome, after: "ok")
        }

        /// Signatures, unpublished keys, clocks, encryption and further audiences say nothing against the session: at
        /// most the ID token is passed over, and the claims of the sign-in stay.
        static func passedOver(_ attack: DevServer.Attack) -> Row { Row(attack: attack, outcome: "ok", after: "ok") }
    }

    static let rows: [Row] = [
        .passedOver(.unsigned), .passedOver(.symmetric), .passedOver(.foreignKey),
        .dropped(.foreignTokenIssuer, "untrusted.issuer"), .dropped(.foreignAudience, "untrusted.claims"),
        .passedOver(.sharedAudience), .passedOver(.encrypted), .dropped(.foreignParty, "untrusted.claims"),
        .dropped(.foreignKind, "untrusted.claims"),
        .passedOver(.unknownKey), .passedOver(.embeddedKey), .passedOver(.expiredToken), .passedOver(.oldToken),
        Row(attack: .foreignTokenType, outcome: "untrusted.malformed", after: "ok"),
        Row(attack: .foreignHash, outcome: "untrusted.claims", after: "ok"),
        Row(attack: .divertedPosts, outcome: "serviceTrouble", after: "ok"),
        Row(attack: .foreignDocument, outcome: "untrusted.issuer", after: "ok"),
        Row(attack: .insecureEndpoint, outcome: "untrusted.malformed", after: "ok"),
    ]

    @Test(
        "a refresh at a hostile service shows no token that it forged, and sends nothing elsewhere",
        .standard(14, 19, 20, 34, 35, 36, 42, 44, 46, 49), arguments: rows)
    func attacked(_ row: Row) async throws {
        let hostile = try HostileService()
        defer { hostile.stop() }
        let service = hostile.service
        let account = try #require(try await service.signedIn().currentAccount)
        service.clock.advance(by: .seconds(301))
        #expect(hostile.play(row.attack))
        let auth = try service.process()
        #expect(await outcome { try await auth.accessToken() } == row.outcome)
        #expect((auth.currentToken() != nil) == (row.outcome == "ok"))
        #expect(hostile.isVictimUntouched && hostile.victim.log().isEmpty)
        #expect(hostile.play(nil))
        service.clock.advance(by: .seconds(120))
        #expect(await outcome { try await service.process().accessToken() } == row.after)
        #expect(try await service.process().accounts().map(\.id) == [account])
    }
}
