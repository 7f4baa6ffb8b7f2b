import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Testing

@testable import LatchkeyOAuth

@Suite("A poll for a device that something else than the service answers") struct StrayPollTests {
    /// A service that answers polls one after another with these.
    private final class Service: HTTPTransport {
        static let issuer = "https://id.example"
        private let polls: Locked<[TransportResponse]>

        init(_ polls: [TransportResponse]) { self.polls = Locked(polls) }

        func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
            let code: JSON = [
                "device_code": "d", "user_code": "u", "verification_uri": .string("\(Self.issuer)/enter"),
                "expires_in": 600,
            ]
            let document: JSON = [
                "issuer": .string(Self.issuer), "token_endpoint": .string("\(Self.issuer)/token"),
                "device_authorization_endpoint": .string("\(Self.issuer)/device"),
            ]
            guard request.url.hasSuffix("/token") else {
                let body = request.method == "POST" ? code : document
                return TransportResponse(status: 200, body: body.serialized())
            }
            return polls.withLock { $0.removeFirst() }
        }
    }

    private static let pending = TransportResponse(
        status: 400, body: JSON.object(["error": "authorization_pending"]).serialized())

    private static func moved(_ status: Int) -> TransportResponse {
        TransportResponse(status: status, fields: ["Location": "https://new.example/token"])
    }

    /// How many polls there were, and the error of the last one, each poll by another process.
    private func end(_ polls: [TransportResponse]) async throws -> (polls: Int, error: AuthError?) {
        let provider = OAuthProvider(issuer: Service.issuer, clientID: "c")
        let context = ProviderContext(
            world: .testing(clock: ManualClock()), transport: Service(polls), cache: KeepingCache())
        var options = SignInOptions()
        options.scopes = ["x"]
        guard case .asked(var challenge) = try await provider.begin(.signIn(.device), options, in: context) else {
            return (0, nil)
        }
        for number in 1...polls.count {
            challenge.state = try JSON.parse(challenge.state.serialized())
            do {
                let turn = try await provider.answer(.poll, to: challenge, in: context)
                guard case .asked(let next) = turn else { break }
                challenge = next
            } catch {
                return (number, error as? AuthError)
            }
        }
        return (polls.count, nil)
    }

    @Test(
        "three times running it is told as what it is: where the request is sent on to, or that nothing is there",
        arguments: [301, 302, 303, 307, 308, 404, 410])
    func told(status: Int) async throws {
        let stray = Self.moved(status)
        let found = try await end([stray, stray, Self.pending, stray, stray, stray, stray])
        #expect(found.polls == 6 && found.error?.code == .serviceTrouble)
        #expect(found.error?.foreign?.kind == (status < 400 ? .redirect : .notFound))
        #expect(found.error?.message.contains("https://id.example") == true)
        #expect(found.error?.message.contains("https://new.example") == (status < 400))
    }

    @Test("what may pass is polled through: a page, a firewall, a failure", arguments: [200, 403, 429, 502, 511])
    func passing(status: Int) async throws {
        let page = TransportResponse(status: status, fields: ["Content-Type": "text/html"], body: Array("<html>".utf8))
        let found = try await end(Array(repeating: page, count: 8))
        #expect(found.polls == 8 && found.error == nil)
    }
}
