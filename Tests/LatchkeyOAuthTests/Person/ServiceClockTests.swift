import FoundationEssentials
import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeySystem
import LatchkeyOAuth
import LatchkeyTesting
import Proofs
import Testing

/// The real network behind something that changes the answers.
private final class Middle: HTTPTransport {
    typealias Change = @Sendable (TransportRequest, inout TransportResponse) -> Void

    private let inner = CurlTransport()
    private let change: Locked<Change>

    init(_ change: @escaping Change) { self.change = Locked(change) }

    func become(_ change: @escaping Change) { self.change.withLock { $0 = change } }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        var response = try await inner.send(request, deadline: deadline)
        change.withLock { $0 }(request, &response)
        return response
    }

    static let withoutDate: Change = { $1.fields["Date"] = nil }
}

@Suite("The service's clock") struct ServiceClockTests {
    private func seconds(_ offset: Duration) -> Double { offset / .seconds(1) }

    @Test(
        "is the iat of a fresh ID token where answers have no Date: sign-ins work, and nothing is refreshed because of it",
        .law(13),
        arguments: [0.0, 62, -62, 7_200, -7_200])
    func withoutDate(_ ahead: Double) async throws {
        let scene = try PersonScene { configuration in
            let own = configuration.now
            configuration.now = { own() + ahead }
        }
        let middle = Middle(Middle.withoutDate)
        let auth = try scene.process { $0.transport(middle) }
        try await scene.signIn(auth)
        #expect(abs(seconds(try await auth.serviceClockOffset()) - ahead) <= 2)
        for process in [auth, try scene.process { $0.transport(middle) }] {
            try await process.restore()
            for _ in 0..<3 {
                let token = try await process.oauth().idToken(minimumValidity: .seconds(250))
                // By this machine's clock it lasts as long as it does.
                #expect(abs(token.endsAt.timeIntervalSince(scene.clock.wall()) - 300) <= 3)
            }
            #expect(abs(seconds(try await process.serviceClockOffset()) - ahead) <= 2)
        }
        #expect(scene.refreshes == 0)
        scene.clock.advance(by: .seconds(200))
        _ = try await auth.oauth().idToken(minimumValidity: .seconds(250))
        #expect(scene.refreshes == 1)
    }

    @Test("is not learnt from an answer that is not the service's", .law(13), arguments: [200, 403, 503])
    func gateway(_ status: Int) async throws {
        let scene = try PersonScene()
        let middle = Middle { _, _ in }
        let auth = try scene.process { $0.transport(middle) }
        try await scene.signIn(auth)
        let wrong = HTTPDate.text(scene.clock.wall().addingTimeInterval(86_400))
        middle.become { request, response in
            guard request.method == "POST" else { return }
            response = TransportResponse(
                status: status, fields: ["Content-Type": "text/html", "Date": wrong],
                body: Array("<html>blocked</html>".utf8))
        }
        await #expect(throws: AuthError.self) { try await auth.refresh() }
        #expect(abs(seconds(try await auth.serviceClockOffset())) <= 2)
    }

    @Test("is this machine's where a gateway writes a Date that the ID token contradicts", .law(13))
    func wrongDate() async throws {
        let scene = try PersonScene()
        let wrong = HTTPDate.text(scene.clock.wall().addingTimeInterval(86_400))
        let middle = Middle { $1.fields["Date"] = wrong }
        let auth = try scene.process { $0.transport(middle) }
        try await scene.signIn(auth)
        #expect(abs(seconds(try await auth.serviceClockOffset())) <= 2)
    }

    @Test("is not read from an answer that a cache has kept", .law(13))
    func cached() async throws {
        let scene = try PersonScene()
        let old = HTTPDate.text(scene.clock.wall().addingTimeInterval(-86_400))
        let middle = Middle { request, response in
            guard request.method == "GET" else { return }
            response.fields["Date"] = old
            response.fields["Age"] = "86400"
        }
        let auth = try scene.process { $0.transport(middle) }
        try await scene.signIn(auth)
        #expect(abs(seconds(try await auth.serviceClockOffset())) <= 2)
    }
}
