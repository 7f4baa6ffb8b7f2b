import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Testing

@testable import LatchkeyOAuth

@Suite("A poll for a device whose answer is lost") struct LostPollTests {
    /// A service that answers polls one after another as it is told.
    private final class Service: HTTPTransport {
        enum Poll: Sendable {
            case lost, unsent
            case answer(Int, String)
        }

        static let issuer = "https://id.example"
        private let polls: Locked<[Poll]>

        init(_ polls: [Poll]) { self.polls = Locked(polls) }

        func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
            guard request.method == "POST" else { return Self.document }
            guard request.url.hasSuffix("/token") else { return Self.code }
            switch polls.withLock({ $0.isEmpty ? .unsent : $0.removeFirst() }) {
            case .lost: throw TransportError(.timedOut, wasSent: true)
            case .unsent: throw TransportError(.unreachable, wasSent: false)
            case .answer(let status, let error):
                return TransportResponse(status: status, body: JSON.object(["error": .string(error)]).serialized())
            }
        }

        private static var document: TransportResponse {
            let members: JSON = [
                "issuer": .string(issuer), "token_endpoint": .string("\(issuer)/token"),
                "device_authorization_endpoint": .string("\(issuer)/device"),
            ]
            return TransportResponse(status: 200, body: members.serialized())
        }

        private static var code: TransportResponse {
            let found: JSON = [
                "device_code": "d", "user_code": "u", "verification_uri": .string("\(issuer)/enter"), "expires_in": 600,
            ]
            return TransportResponse(status: 200, body: found.serialized())
        }
    }

    /// The error of the last poll, each by another process.
    private func end(_ polls: [Service.Poll]) async throws -> AuthError? {
        let provider = OAuthProvider(issuer: Service.issuer, clientID: "c")
        let context = ProviderContext(
            world: .testing(clock: ManualClock()), transport: Service(polls), cache: KeepingCache())
        var options = SignInOptions()
        options.scopes = ["x"]
        guard case .asked(var challenge) = try await provider.begin(.signIn(.device), options, in: context) else {
            return nil
        }
        for (index, _) in polls.enumerated() {
            challenge.state = try JSON.parse(challenge.state.serialized())
            do {
                guard case .asked(let next) = try await provider.answer(.poll, to: challenge, in: context) else {
                    return nil
                }
                challenge = next
            } catch {
                #expect(index == polls.count - 1)
                return error as? AuthError
            }
        }
        return nil
    }

    @Test(
        "a code that is taken no longer after it may have been spent with the answer, and the error says to begin anew",
        arguments: ["expired_token", "invalid_grant", "invalid_request", "bad_device_code"])
    func spent(_ code: String) async throws {
        for lost in [Service.Poll.lost, .answer(504, "x")] {
            for between in [[], [Service.Poll.unsent], [.answer(503, "y")]] {
                let error = try await end([lost] + between + [.answer(400, code)])
                #expect(error?.isAnswerLost == true)
                #expect(error?.message.hasSuffix("so the approval may be spent: begin anew.") == true)
                #expect(error?.text(in: .english).hasSuffix("begin anew") == true)
            }
        }
    }

    @Test(
        "a code that is taken no longer otherwise was not spent, and the error does not say so",
        arguments: ["expired_token", "invalid_grant", "access_denied"])
    func unspent(_ code: String) async throws {
        for before in [
            [], [Service.Poll.unsent], [.lost, .answer(400, "authorization_pending")],
            [.lost, .answer(400, "slow_down")],
        ] {
            let error = try await end(before + [.answer(400, code)])
            #expect(error != nil && error?.isAnswerLost == false, "\(error?.description ?? "")")
        }
        let client = try await end([.lost, .answer(401, "invalid_client")])
        #expect(client?.code == .configuration(.clientRefused) && client?.isAnswerLost == false)
    }
}
