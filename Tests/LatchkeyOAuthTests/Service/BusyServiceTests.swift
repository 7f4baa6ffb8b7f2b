import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Testing

@testable import LatchkeyOAuth

@Suite("A service that wants fewer requests while a code is exchanged") struct BusyServiceTests {
    /// A service that answers one exchange after another with these.
    private final class Service: HTTPTransport {
        static let issuer = "https://id.example"
        private let answers: Locked<[TransportResponse]>
        let codes = Locked<[String]>([])

        init(_ answers: [TransportResponse]) { self.answers = Locked(answers) }

        func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
            guard request.url.hasSuffix("/token") else {
                let document: JSON = [
                    "issuer": .string(Self.issuer), "token_endpoint": .string("\(Self.issuer)/token"),
                    "authorization_endpoint": .string("\(Self.issuer)/authorize"),
                ]
                return TransportResponse(status: 200, body: document.serialized())
            }
            codes.withLock { $0.append(String(decoding: request.body ?? [], as: UTF8.self)) }
            return answers.withLock { $0.removeFirst() }
        }
    }

    private static func busy(_ pause: String?) -> TransportResponse {
        var fields = HeaderFields()
        if let pause { fields.add("Retry-After", pause) }
        return TransportResponse(status: 429, fields: fields)
    }

    private static let tokens = TransportResponse(
        status: 200, body: JSON.object(["access_token": "a", "token_type": "Bearer", "expires_in": 60]).serialized())

    /// A sign-in that waits for a code, and the redirect that brings one.
    private func begun(
        at service: Service, _ clock: ManualClock
    ) async throws -> (provider: OAuthProvider, context: ProviderContext, challenge: Challenge, back: Secret) {
        var provider = OAuthProvider(issuer: Service.issuer, clientID: "c")
        provider.redirect = "com.example.app:/cb"
        let context = ProviderContext(world: .testing(clock: clock), transport: service, cache: KeepingCache())
        var options = SignInOptions()
        options.scopes = ["x"]
        let begun = try await provider.begin(.signIn(.browser()), options, in: context)
        guard case .asked(let challenge) = begun, case .visit(let url, _) = challenge.ask else { throw Missing() }
        let state = try #require(url.split(separator: "state=").last?.prefix { $0 != "&" })
        let back = Secret("com.example.app:/cb?code=spent-once&state=\(state)&iss=https://id.example")
        return (provider, context, challenge, back)
    }

    /// Exchanges a code at `service`, and lets each pause pass.
    private func exchange(_ service: Service) async throws -> (turn: Result<Turn, any Error>, waited: [Duration]) {
        let clock = ManualClock()
        let (provider, context, challenge, back) = try await begun(at: service, clock)
        let waited = Locked<[Duration]>([])
        let pauses = Task {
            while !Task.isCancelled {
                try await clock.waitForSleepers()
                if let pause = clock.advanceToNextSleeper() { waited.withLock { $0.append(pause) } }
            }
        }
        defer { pauses.cancel() }
        let turn: Result<Turn, any Error>
        do {
            turn = .success(try await provider.answer(.redirected(back), to: challenge, in: context))
        } catch { turn = .failure(error) }
        return (turn, waited.withLock { $0 })
    }

    private struct Missing: Error {}

    @Test(
        "a code that it has not looked at is sent once more, after the pause that it asks for",
        arguments: [(nil, 2), ("0", 0), ("3", 3), ("10", 10)] as [(String?, Int)])
    func short(pause: String?, seconds: Int) async throws {
        let service = Service([Self.busy(pause), Self.tokens])
        let (turn, waited) = try await exchange(service)
        guard case .signedIn = try turn.get() else { throw Missing() }
        #expect(waited == (seconds == 0 ? [] : [.seconds(seconds)]))
        let codes = service.codes.withLock { $0 }
        #expect(codes.count == 2 && codes[0] == codes[1])
    }

    @Test("it is told with its pause, and the code is not sent again, if the pause is long", arguments: ["11", "3600"])
    func long(pause: String) async throws {
        let service = Service([Self.busy(pause)])
        let (turn, waited) = try await exchange(service)
        let error = #expect(throws: AuthError.self) { try turn.get() }
        #expect(error?.code == .rateLimited && error?.retryAfter == .seconds(Int(pause) ?? 0))
        #expect(waited.isEmpty && service.codes.withLock { $0.count } == 1)
    }

    @Test("it is told if it wants fewer requests a second time")
    func twice() async throws {
        let service = Service([Self.busy("1"), Self.busy("1")])
        let (turn, waited) = try await exchange(service)
        #expect(throws: AuthError.self) { try turn.get() }
        #expect(waited == [.seconds(1)] && service.codes.withLock { $0.count } == 2)
    }

    @Test("a sign-in that is given up in that pause ends at once, and sends the code no second time")
    func givenUp() async throws {
        let (service, clock) = (Service([Self.busy("9"), Self.tokens]), ManualClock())
        let (provider, context, challenge, back) = try await begun(at: service, clock)
        let answer = Task { try await provider.answer(.redirected(back), to: challenge, in: context) }
        try await clock.waitForSleepers()
        answer.cancel()
        await #expect(throws: (any Error).self) { _ = try await answer.value }
        #expect(service.codes.withLock { $0.count } == 1)
    }
}
