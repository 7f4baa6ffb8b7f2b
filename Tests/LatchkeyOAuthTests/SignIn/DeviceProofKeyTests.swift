import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyOAuthCore
import LatchkeyTesting
import Testing

@testable import LatchkeyOAuth

@Suite("A device sign-in with a proof key") struct DeviceProofKeyTests {
    /// A service that may list, demand or ignore proof keys in the device flow.
    private final class Service: HTTPTransport {
        static let issuer = "https://id.example"
        let methods: JSON?
        let demands: Bool
        private let requests = Locked<[FormParameters]>([])

        init(methods: JSON?, demands: Bool) { (self.methods, self.demands) = (methods, demands) }

        /// The forms that were sent to an endpoint.
        func forms(with name: String) -> [FormParameters] { requests.withLock { $0.filter { $0[name] != nil } } }

        func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
            guard request.method == "POST" else { return document() }
            let form = FormEncoding.decode(String(decoding: request.body ?? [], as: UTF8.self)) ?? FormParameters()
            let before = requests.withLock { all in
                all.append(form)
                return all
            }
            return request.url.hasSuffix("/device") ? code(form) : poll(form, before)
        }

        private func document() -> TransportResponse {
            var members: [String: JSON] = [
                "issuer": .string(Self.issuer), "token_endpoint": .string("\(Self.issuer)/token"),
                "device_authorization_endpoint": .string("\(Self.issuer)/device"),
            ]
            members["code_challenge_methods_supported"] = methods
            return TransportResponse(status: 200, body: JSON.object(members).serialized())
        }

        private func code(_ form: FormParameters) -> TransportResponse {
            guard !demands || form["code_challenge_method"] == "S256" else {
                return refusal("invalid_request", "Missing parameter: code_challenge_method")
            }
            let found: JSON = [
                "device_code": "d", "user_code": "u", "verification_uri": .string("\(Self.issuer)/enter"),
                "expires_in": 60,
            ]
            return TransportResponse(status: 200, body: found.serialized())
        }

        private func poll(_ form: FormParameters, _ all: [FormParameters]) -> TransportResponse {
            if let challenge = all.last(where: { $0["device_code"] == nil })?["code_challenge"] {
                let proof = form["code_verifier"].flatMap { ProofKey(verifier: Secret($0)) }
                guard proof?.challenge == challenge else { return refusal("invalid_grant", "PKCE verification failed") }
            }
            let tokens: JSON = ["access_token": "a", "token_type": "Bearer"]
            return TransportResponse(status: 200, body: tokens.serialized())
        }

        private func refusal(_ code: String, _ words: String) -> TransportResponse {
            let body: JSON = ["error": .string(code), "error_description": .string(words)]
            return TransportResponse(status: 400, body: body.serialized())
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var methods: JSON?
        var demands: Bool
        var requests: Int
        var hasKey: Bool
    }

    static let cases = [
        Case(testDescription: "listed, demanded", methods: ["S256"], demands: true, requests: 1, hasKey: true),
        Case(
            testDescription: "listed, ignored", methods: ["plain", "S256"], demands: false, requests: 1, hasKey: true),
        Case(testDescription: "not listed, demanded", methods: nil, demands: true, requests: 2, hasKey: true),
        Case(testDescription: "plain alone, demanded", methods: ["plain"], demands: true, requests: 2, hasKey: true),
        Case(testDescription: "not listed, ignored", methods: nil, demands: false, requests: 1, hasKey: false),
        Case(testDescription: "an empty list", methods: [], demands: false, requests: 1, hasKey: false),
    ]

    private func context(_ service: Service) -> ProviderContext {
        ProviderContext(world: .testing(clock: ManualClock()), transport: service, cache: KeepingCache())
    }

    @Test(
        "has its challenge in the first request and its verifier in the polls, of another process too", arguments: cases
    )
    func signsIn(_ row: Case) async throws {
        let service = Service(methods: row.methods, demands: row.demands)
        let provider = OAuthProvider(issuer: Service.issuer, clientID: "c")
        var options = SignInOptions()
        options.scopes = ["x"]
        guard case .asked(var challenge) = try await provider.begin(.signIn(.device), options, in: context(service))
        else { throw Missing() }
        let begun = service.forms(with: "client_id")
        #expect(begun.count == row.requests && (begun.last?["code_challenge"] != nil) == row.hasKey)
        // As another process reads it.
        challenge.state = try JSON.parse(challenge.state.serialized())
        #expect((challenge.state["code_verifier"] != nil) == row.hasKey)
        guard case .signedIn = try await provider.answer(.poll, to: challenge, in: context(service)) else {
            throw Missing()
        }
        #expect(service.forms(with: "code_verifier").count == (row.hasKey ? 1 : 0))
    }

    @Test("with another verifier is refused, and the error says that it was the poll")
    func wrongVerifier() async throws {
        let service = Service(methods: ["S256"], demands: true)
        let provider = OAuthProvider(issuer: Service.issuer, clientID: "c")
        var options = SignInOptions()
        options.scopes = ["x"]
        guard case .asked(var challenge) = try await provider.begin(.signIn(.device), options, in: context(service))
        else { throw Missing() }
        var state = try DeviceState(challenge.state)
        state.verifier = Secret(String(repeating: "v", count: 43))
        challenge.state = state.json
        let error = try await trouble { _ = try await provider.answer(.poll, to: challenge, in: context(service)) }
        #expect(error.code == .refused(.expired) && error.message.contains("device token poll"), "\(error.message)")
        #expect(error.serviceText?.words == "PKCE verification failed")
    }
}

@Suite("A client whose secret HTTP Basic encodes") struct EncodedSecretTests {
    @Test(
        "is told about the encoding if the service refuses it, and sends no second request",
        arguments: [("a+b", true), ("100%", true), ("a:b", true), ("plain", false)])
    func refused(_ secret: String, _ isTold: Bool) async throws {
        for encoding in [ClientAuthentication.BasicEncoding.form, .raw] {
            var provider = OAuthProvider(OAuthEndpoints(token: "https://id.example/token"), clientID: "c")
            provider.flow = .service
            provider.authentication = .basic(Secret(secret), encoding: encoding)
            let body = Array(#"{"error":"invalid_client"}"#.utf8)
            let transport = FixedAnswer(TransportResponse(status: 401, body: body))
            let context = ProviderContext(
                world: .testing(clock: ManualClock()), transport: transport, cache: KeepingCache())
            let error = try await trouble {
                _ = try await provider.begin(.signIn(.clientCredentials), SignInOptions(), in: context)
            }
            #expect(error.code == .configuration(.clientRefused))
            #expect(error.message.contains("encoding `raw`") == (isTold && encoding == .form), "\(error.message)")
            #expect(transport.count.withLock { $0 } == 1)
        }
    }

    private final class FixedAnswer: HTTPTransport {
        let answer: TransportResponse
        let count = Locked(0)

        init(_ answer: TransportResponse) { self.answer = answer }

        func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
            count.withLock { $0 += 1 }
            return answer
        }
    }
}
