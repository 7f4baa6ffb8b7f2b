import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

/// A resource refuses a token whose session ended elsewhere, and the store holds another session.
@Suite("A refused token of a session that another process replaced") struct OtherLoginTests {
    private static let origin = "https://api.example.com"

    @Test(
        "a client that does not follow its store finds the session that another process began, before and after it was told",
        .law(9),
        arguments: [0, 1, 3])
    func unheard(refusals: Int) async throws {
        let bench = Bench(tokenLifetime: .seconds(3_600))
        let other = try await bench.signedIn()
        var settings = Bench.settings
        settings.followsStore = false
        let chosen = settings
        let auth = try bench.process { $0.settings(chosen) }
        let (resource, taken) = (ScriptedTransport(), Locked(""))
        resource.always(
            "GET", Self.origin + "/notes",
            .made { request in
                let isTaken = request.fields["Authorization"] == "Bearer " + taken.withLock { $0 }
                return TransportResponse(status: isTaken ? 200 : 401)
            })
        let transport = try auth.authorized(resource, origins: [Self.origin])
        func get() async throws -> Int {
            try await transport.send(TransportRequest("GET", Self.origin + "/notes"), deadline: .seconds(60)).status
        }
        // The resource has refused one token, and the next one.
        #expect(try await get() == 401)
        for _ in 0..<refusals { #expect(try await get() == 401) }
        let refreshes = bench.service.refreshCount
        _ = try await other.signIn(with: "scripted", .anonymous)
        let newest = try #require(other.currentToken()?.value.revealText())
        taken.withLock { $0 = newest }
        #expect(auth.currentToken()?.value.revealText() != newest)
        #expect(try await get() == 200)
        #expect(auth.currentToken()?.value.revealText() == newest)
        #expect(bench.service.refreshCount == refreshes)
    }
}
