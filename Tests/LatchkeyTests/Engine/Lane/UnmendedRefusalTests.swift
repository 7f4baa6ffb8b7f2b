import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

@Suite("A 401 that no newer token mends") struct UnmendedRefusalTests {
    private static let origin = "https://api.example.com"

    /// A resource that answers 401 with a challenge, unless it takes the token.
    private struct Resource: Sendable {
        let transport = ScriptedTransport()
        let taken = Locked<Set<String>>([])

        init(_ challenges: [String]) {
            transport.always(
                "GET", UnmendedRefusalTests.origin + "/",
                .made { [taken] request in
                    let token = request.fields["Authorization"].map { String($0.dropFirst("Bearer ".count)) } ?? ""
                    var answer = TransportResponse(status: taken.withLock { $0.contains(token) } ? 200 : 401)
                    for challenge in challenges { answer.fields.add("WWW-Authenticate", challenge) }
                    return answer
                })
        }

        func get(with auth: AuthClient, at origin: String = UnmendedRefusalTests.origin) async throws -> Int {
            let api = try auth.authorized(transport, origins: [origin])
            return try await api.send(TransportRequest("GET", origin + "/"), deadline: .seconds(60)).status
        }
    }

    @Test(
        "refreshes nothing, asks for no sign-in, and is returned", .law(9),
        arguments: [
            ["Basic realm=\"x\""], ["Negotiate"], ["Negotiate oQcwBaADCgEC"], ["NTLM", "Negotiate"],
            ["negotiate, basic realm=x"], ["Digest realm=\"x\", nonce=\"y\""], [" basic"],
            ["Bearer realm=\"x\", error=\"insufficient_scope\", scope=\"a\""],
            ["Basic realm=\"x\"", "Bearer error = \"insufficient_scope\""],
        ])
    func unmended(challenges: [String]) async throws {
        let (bench, resource) = (Bench(), Resource(challenges))
        let auth = try await bench.signedIn()
        for _ in 0..<10 { #expect(try await resource.get(with: auth) == 401) }
        #expect(bench.service.refreshCount == 0 && bench.observer.returns.isEmpty)
        #expect(resource.transport.requests.count == 10)
        #expect(bench.observer.refusals == Array(repeating: .refusal(.resource, .otherwise), count: 10))
    }

    @Test(
        "any other is refreshed once",
        arguments: [
            [], [""], ["Bearer"], ["Bearer error=\"invalid_token\""], ["Basic realm=\"x\", Bearer"],
            ["Basic", "bearer"], ["DPoP algs=\"ES256\""], ["Basic realm=\"token\""], ["GNAP"], ["Key"], ["basics"],
        ])
    func mended(challenges: [String]) async throws {
        let (bench, resource) = (Bench(), Resource(challenges))
        let auth = try await bench.signedIn()
        resource.taken.withLock { $0 = ["access-2"] }
        #expect(try await resource.get(with: auth) == 200)
        #expect(bench.service.refreshCount == 1)
    }

    @Test("ten processes that come after each other refresh once for a resource that refuses every token", .law(9))
    func processes() async throws {
        let (bench, resource) = (Bench(), Resource(["Bearer error=\"invalid_token\""]))
        _ = try await bench.signedIn()
        for number in 0..<10 {
            let auth = try bench.process(seed: UInt64(100 + number))
            #expect(try await resource.get(with: auth) == 401)
        }
        #expect(bench.service.refreshCount == 1)
        // Another resource's refusal is its own.
        let other = "https://other.example.com"
        resource.transport.always("GET", other + "/", .answer(TransportResponse(status: 401)))
        for number in 0..<10 {
            let auth = try bench.process(seed: UInt64(200 + number))
            #expect(try await resource.get(with: auth, at: other) == 401)
        }
        #expect(bench.service.refreshCount == 2)
        #expect(try await bench.process(seed: 300).accessToken().value.revealText() == "access-3")
    }

    @Test("a token that the resource takes after all is refreshed again once it is refused", .law(9))
    func takenAfterAll() async throws {
        let (bench, resource) = (Bench(), Resource([]))
        _ = try await bench.signedIn()
        for number in 0..<2 { _ = try await resource.get(with: try bench.process(seed: UInt64(100 + number))) }
        #expect(bench.service.refreshCount == 1)
        resource.taken.withLock { $0 = ["access-2"] }
        #expect(try await resource.get(with: try bench.process(seed: 110)) == 200)
        resource.taken.withLock { $0 = ["access-3"] }
        #expect(try await resource.get(with: try bench.process(seed: 120)) == 200)
        #expect(bench.service.refreshCount == 2)
    }

    @Test("what is noted names no secret, is read again, and stays with the same token alone")
    func stored() async throws {
        let (bench, resource) = (Bench(), Resource([]))
        let auth = try await bench.signedIn()
        _ = try await resource.get(with: auth)
        let sessions = try await bench.store.onlyRecord().document["credential"]?["sessions"]?.array
        let tokens = try #require(sessions?.first?["tokens"]?.object)
        #expect(tokens.values.first?["refusedAt"]?.array?.compactMap(\.string) == [Self.origin])
        bench.clock.advance(by: .seconds(3_600))
        let later = try bench.process(seed: 9)
        #expect(try await later.accessToken().value.revealText() == "access-3")
        let after = try await bench.store.onlyRecord().document["credential"]?["sessions"]?.array
        #expect(after?.first?["tokens"]?.object?.values.first?["refusedAt"] == nil)
    }
}
